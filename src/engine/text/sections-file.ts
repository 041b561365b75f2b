import { type Section, Sections } from './sections.ts'

/** What a file is about: its first four bytes, read as a little-endian number, its name in errors, and the version of its layout. */
export interface FileKind {
  readonly magic: number
  readonly name: string
  /** Changes with the layout of the file and with what any section means. */
  readonly format: number
  /** Computes the checksum of the numbers after the fourth, if another one than `mixNumbers` is better for the kind. */
  readonly computeChecksum?: (numbers: Uint32Array) => number
}

/** The bytes are not a complete file of the kind and of this version of Siteprint. */
export class SectionsFileError extends Error {}

/** Magic number, format, length of the file, checksum of what follows, length of the head: five numbers of 32 bits. */
const HEAD_NUMBERS = 5
/** Number of the first number that the checksum covers. */
const CHECKED_FROM = 4
const WORD_BYTES = 4
const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array } as const
type TypeName = keyof typeof TYPES

/** Name, type and length of each section, in the order of the file. Each begins at a multiple of four bytes. */
type SectionTable = readonly (readonly [name: string, type: TypeName, length: number])[]

/** Writes a head, which must survive JSON, and sections as one file. Numbers are little-endian, as on every processor of Node. */
export function writeSections(kind: FileKind, head: object, sections: Sections): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify({ ...head, sections: listSections(sections) }))
  const headBytes = HEAD_NUMBERS * WORD_BYTES
  const file = layOut(headBytes, json, sections)
  const numbers = new Uint32Array(file.buffer)
  numbers.set([kind.magic, kind.format, file.byteLength, 0, json.length])
  numbers[3] = findChecksum(kind, numbers)
  return file
}

/** Packs sections into one, for a part of a file that is opened on first use: thousands of open sections take memory in every thread. */
export function packSections(sections: Sections): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(listSections(sections)))
  const bytes = layOut(WORD_BYTES, json, sections)
  new Uint32Array(bytes.buffer)[0] = json.length
  return bytes
}

/** Opens what `packSections` has packed, without copying it. */
export function unpackSections({ buffer, byteOffset }: Uint8Array): Sections {
  const [length] = new Uint32Array(buffer, byteOffset, 1)
  const table = new Uint8Array(buffer, byteOffset + WORD_BYTES, length)
  return readSections(buffer, JSON.parse(decodeShared(table)) as SectionTable, byteOffset + WORD_BYTES + align(length))
}

function listSections({ all }: Sections): SectionTable {
  return [...all].map(([name, section]) => [name, nameType(section), section.length])
}

/** Puts JSON and, after it, sections into an array whose first bytes stay free. */
function layOut(free: number, json: Uint8Array, { all }: Sections): Uint8Array<ArrayBuffer> {
  let at = free + align(json.length)
  const bytes = new Uint8Array([...all.values()].reduce((sum, { byteLength }) => sum + align(byteLength), at))
  bytes.set(json, free)
  for (const section of all.values()) {
    bytes.set(new Uint8Array(section.buffer, section.byteOffset, section.byteLength), at)
    at += align(section.byteLength)
  }
  return bytes
}

const decoder = new TextDecoder()

/** Decodes UTF-8 in memory that threads may share. The decoder of browsers does not read that, so the bytes are copied. */
export function decodeShared(bytes: Uint8Array): string {
  return decoder.decode(bytes.slice())
}

/**
 * Opens a file as it lies in memory, without copying its sections.
 * @param buffer the whole file; threads share it if it is shared memory
 * @param isChecked whether the checksum was compared before
 * @throws SectionsFileError if the bytes are not a file of this kind, cut, changed, or of another format
 */
export function openSections<Head extends object>(
  kind: FileKind,
  buffer: ArrayBufferLike,
  isChecked = false,
): { readonly head: Head; readonly sections: Sections } {
  const fail = (what: string): never => {
    throw new SectionsFileError(what)
  }
  if (buffer.byteLength < HEAD_NUMBERS * WORD_BYTES || buffer.byteLength % WORD_BYTES !== 0)
    fail(`the file is not ${kind.name}, or it is cut`)
  const numbers = new Uint32Array(buffer)
  const [magic, format, length, checksum, headLength] = numbers
  if (magic !== kind.magic) fail(`the file is not ${kind.name}`)
  if (format !== kind.format) fail(`the file has format ${format}, and this version reads format ${kind.format}`)
  if (length !== buffer.byteLength) fail(`the file has ${buffer.byteLength} bytes instead of ${length}: it is cut`)
  if (!isChecked && checksum !== findChecksum(kind, numbers)) fail('the file is damaged: its checksum is wrong')
  const headBytes = new Uint8Array(buffer, HEAD_NUMBERS * WORD_BYTES, headLength)
  const { sections, ...head } = JSON.parse(decodeShared(headBytes)) as { sections: SectionTable }
  const start = HEAD_NUMBERS * WORD_BYTES + align(headLength)
  return { head: head as Head, sections: readSections(buffer, sections, start) }
}

function readSections(buffer: ArrayBufferLike, table: SectionTable, start: number): Sections {
  const all = new Map<string, Section>()
  let at = start
  for (const [name, type, length] of table) {
    const section = new TYPES[type](buffer as ArrayBuffer, at, length)
    all.set(name, section)
    at += align(section.byteLength)
  }
  return new Sections(all)
}

function nameType(section: Section): TypeName {
  return section instanceof Uint8Array ? 'u8' : section instanceof Uint16Array ? 'u16' : 'u32'
}

function align(bytes: number): number {
  return Math.ceil(bytes / WORD_BYTES) * WORD_BYTES
}

/** Computes the checksum of a file from its fifth number on. */
function findChecksum({ computeChecksum = mixNumbers }: FileKind, numbers: Uint32Array): number {
  return computeChecksum(numbers.subarray(CHECKED_FROM))
}

/**
 * Each step is invertible, so that a change of any one number changes the result; four sums keep the processor busy, because
 * each step waits for the one before.
 */
function mixNumbers(numbers: Uint32Array): number {
  const multiplier = 0x01000193
  let [a, b, c, d] = [1, 2, 3, 4]
  const end = numbers.length
  let i = 0
  for (; i + 3 < end; i += 4) {
    a = Math.imul(a ^ numbers[i], multiplier)
    b = Math.imul(b ^ numbers[i + 1], multiplier)
    c = Math.imul(c ^ numbers[i + 2], multiplier)
    d = Math.imul(d ^ numbers[i + 3], multiplier)
  }
  for (; i < end; i++) a = Math.imul(a ^ numbers[i], multiplier)
  return [a, b, c, d].reduce((sum, one) => Math.imul(sum ^ one, multiplier), 5) >>> 0
}
