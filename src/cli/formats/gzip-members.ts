import { createReadStream, type ReadStream } from 'node:fs'
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { AsyncIterReader } from 'warcio'
import { BrokenDataError, type ItemMark, seek } from './seek.ts'

/** First bytes of a member (RFC 1952). Zeros between members are padding. */
export const MEMBER: ItemMark = { lead: '', text: '\x1f\x8b\x08', foreign: /[^\0]/ }
const MAX_NAME_BYTES = 1024
/** Bytes per read of a file that may be compressed. Even if they expand a thousandfold, they fit into memory. */
const CHUNK_BYTES = 16 * 1024

/** Opens a file for reading. One whose name ends with `.gz` is decompressed: `bytes` then throws BrokenDataErrors. */
export function openUnzipped(file: string): {
  readonly raw: ReadStream
  readonly bytes: AsyncIterable<Uint8Array>
  readonly isGzip: boolean
} {
  const raw = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  const isGzip = /\.gz$/i.test(file)
  return { raw, bytes: isGzip ? new GzipMembers(new AsyncIterReader(raw, null)) : raw, isGzip }
}

/**
 * Decompresses the members of a gzip file, one after the other, in constant memory. A damaged member throws a
 * BrokenDataError once, after the part that could be decompressed; the next call continues with the next member. The reader
 * of zlib cannot do this: it stops at the first error and does not report where a member began.
 */
export class GzipMembers implements AsyncIterableIterator<Uint8Array> {
  readonly #packed: AsyncIterReader
  #member: AsyncGenerator<Uint8Array, void> | null = null
  #isReported = false

  constructor(packed: AsyncIterReader) {
    this.#packed = packed
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (this.#member === null && !(await this.#open())) return { done: true, value: undefined }
      try {
        const step = await this.#member?.next()
        if (step?.done === false) return step
        this.#member = null
      } catch (error) {
        this.#member = null
        this.#isReported = true
        throw error
      }
    }
  }

  async #open(): Promise<boolean> {
    const { found, clean } = await seek(this.#packed, MEMBER)
    if (!clean && !this.#isReported) {
      this.#isReported = true
      throw new BrokenDataError('the file contains bytes that are not gzip data')
    }
    if (!found) return false
    this.#isReported = false
    this.#member = inflateMember(this.#packed)
    return true
  }
}

async function* inflateMember(packed: AsyncIterReader): AsyncGenerator<Uint8Array, void> {
  let header = await takeHeader(packed)
  const inflate = createInflateRaw()
  const push = createPusher(inflate)
  let pending: Uint8Array | null = null
  let sum = 0
  try {
    for await (const chunk of packed) {
      const before = inflate.bytesWritten
      const { inflated, state } = await push(chunk)
      for (const part of inflated) {
        if (pending !== null) yield pending
        sum = crc32(part, sum)
        pending = part
      }
      if (state === 'broken') packed.unread(Buffer.concat([header, chunk]))
      if (state === 'end') packed.unread(chunk.subarray(inflate.bytesWritten - before))
      header = new Uint8Array()
      if (state === 'more') continue
      // The last part is yielded after the checksum, so that damage is reported before its record is complete.
      if (state === 'end') await checkSum(packed, sum)
      if (pending !== null) yield pending
      if (state === 'broken') throw new BrokenDataError('the gzip data is damaged')
      return
    }
    packed.unread(header)
    if (pending !== null) yield pending
    throw new BrokenDataError('the gzip data is truncated')
  } finally {
    inflate.destroy()
  }
}

interface Pushed {
  readonly inflated: readonly Uint8Array[]
  readonly state: 'more' | 'end' | 'broken'
}

function createPusher(inflate: InflateRaw): (chunk: Uint8Array) => Promise<Pushed> {
  let inflated: Uint8Array[] = []
  let settle = (_: Pushed['state']): void => {}
  inflate.on('data', (part: Uint8Array) => inflated.push(part))
  inflate.on('end', () => settle('end'))
  inflate.on('error', () => settle('broken'))
  return async (chunk) => {
    const state = await new Promise<Pushed['state']>((resolve) => {
      settle = resolve
      inflate.write(chunk, (error) => resolve(error ? 'broken' : 'more'))
    })
    const pushed = { inflated, state }
    inflated = []
    return pushed
  }
}

/** Reads the header of a member. Returns what follows its fixed part, which may belong to the next member if it is damaged. */
async function takeHeader(packed: AsyncIterReader): Promise<Uint8Array> {
  const taken: Uint8Array[] = []
  const take = async (bytes: number): Promise<Uint8Array> => {
    const part = await packed.readSize(bytes)
    taken.push(part)
    return part
  }
  const flags = (await packed.readSize(10))[3]
  if (flags & 4) {
    const [low, high] = await take(2)
    await take(low + high * 256)
  }
  for (const flag of [8, 16])
    if (flags & flag) for (let bytes = 0; bytes < MAX_NAME_BYTES && (await take(1))[0]; ) bytes++
  if (flags & 2) await take(2)
  return Buffer.concat(taken)
}

async function checkSum(packed: AsyncIterReader, sum: number): Promise<void> {
  const trailer = Buffer.from(await packed.readSize(8))
  if (trailer.length < 8) throw new BrokenDataError('the gzip data is truncated')
  if (trailer.readUInt32LE(0) !== sum) throw new BrokenDataError('the gzip data is damaged')
}
