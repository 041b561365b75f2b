import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { AsyncIterReader, LimitReader } from 'warcio'
import { SetupError } from '../../errors.ts'
import { addRecordedBodies, BodyStore } from './archive-bodies.ts'
import { GzipMembers, MEMBER } from './gzip-members.ts'
import { BrokenDataError, type ItemMark, type SoughtGap, seek } from './seek.ts'
import {
  findValues,
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  type RecordedPage,
  readBodyResponse,
  readHead,
  readResponse,
} from './warc-response.ts'

/** Identifies a record. */
interface RecordKey {
  /** The recorded URL, or the ID of the record, or `record 7` if neither can be read. */
  readonly id: string
  /** WARC-Date, when the record was made; absent if it cannot be read. */
  readonly date?: string | undefined
  /** WARC-Record-ID without its angle brackets; absent if it cannot be read. */
  readonly recordId?: string | undefined
}

/** A page of a WARC file, or an error. */
export type WarcPage = RecordKey & (RecordedPage | { readonly error: string })

/** Bytes per read. Even if they expand a thousandfold, they fit into memory. */
const CHUNK_BYTES = 16 * 1024
/**
 * Maximum number of bytes of a record that are read into memory: headers, a body, and the overhead of chunked encoding.
 */
const MAX_BLOCK_BYTES = MAX_BODY_BYTES + 4 * MAX_HEAD_BYTES
const RECORD: ItemMark = { lead: '\n', text: 'WARC/', foreign: /[^\r\n]/ }

/**
 * Reads the HTML responses of a WARC file, gzip or not, in their order and in constant memory, each with its scripts
 * and style sheets. A damaged record does not affect the others; records of other kinds are skipped. The file is read
 * twice: first for scripts and style sheets, which are put into a temporary file.
 * @param options `onBytes` is called with the number of bytes that have been processed; the first reading counts as
 * half of the file
 * @throws SetupError when the file contains no record; errors of the file system
 */
export async function* readWarc(
  file: string,
  { onBytes = () => {} }: { readonly onBytes?: (total: number) => void } = {},
): AsyncGenerator<WarcPage> {
  const { size } = await stat(file)
  const store = new BodyStore()
  try {
    for await (const { value } of readFile(file, readBodyResponse, (total) => onBytes(Math.ceil(total / 2))))
      if (value !== null && !('error' in value)) await store.add(value.url, value.bytes)
    let records = 0
    const onPages = (total: number): void => onBytes(Math.ceil((size + total) / 2))
    for await (const { value, ...key } of readFile(file, readResponse, onPages)) {
      records++
      if (value === null) continue
      yield 'error' in value
        ? { ...key, ...value }
        : { ...key, ...value, page: await addRecordedBodies(value.page, store.find) }
    }
    if (records === 0) throw new SetupError(`${file} contains no WARC record. Use a .warc or .warc.gz file.`)
  } finally {
    await store.close()
  }
}

/** Converts a recorded response; returns null to skip it. */
type ReadBlock<T> = (url: string | undefined, block: Buffer, address: string | null) => Promise<T | null>

/** Reads the records of a file. */
async function* readFile<T extends object>(
  file: string,
  read: ReadBlock<T>,
  onBytes: (total: number) => void,
): AsyncGenerator<WarcReading<T>> {
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    let total = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      total += chunk.length
      onBytes(total)
      yield chunk
    }
  }
  try {
    const raw = new AsyncIterReader(counted(), null)
    yield* readRecords((await isGzip(raw)) ? new AsyncIterReader(new GzipMembers(raw), null) : raw, read)
  } finally {
    stream.destroy()
  }
}

/** Detects gzip by the beginning of the file. Its first bytes may be damaged. */
async function isGzip(raw: AsyncIterReader): Promise<boolean> {
  for await (const chunk of raw) {
    raw.unread(chunk)
    const start = Buffer.from(chunk).toString('latin1')
    return start.includes(MEMBER.text) && (start.startsWith(MEMBER.text) || !start.includes(RECORD.text))
  }
  return false
}

/** One record; `value` is null if it is skipped. */
interface WarcReading<T> extends RecordKey {
  readonly value: T | { readonly error: string } | null
}

const isBroken = ({ value }: WarcReading<object>): boolean => value !== null && 'error' in value

/** Yields a record once the data after it was read: if another record does not follow, its length is wrong. */
async function* readRecords<T extends object>(
  reader: AsyncIterReader,
  read: ReadBlock<T>,
): AsyncGenerator<WarcReading<T>> {
  let before: WarcReading<T> | null = null
  for (let number = 1; ; number++) {
    const name = `record ${number}`
    let gap: SoughtGap
    try {
      gap = await seek(reader, RECORD)
    } catch (error) {
      if (before !== null) yield before
      before = createBroken({ id: name }, error)
      continue
    }
    if (before !== null && !gap.clean && !isBroken(before))
      before = createBroken(before, new BrokenDataError('the length of the record is wrong'))
    if (before !== null) yield before
    if (!gap.found) return
    before = await readRecord(reader, name, read)
  }
}

function createBroken({ id, date, recordId }: RecordKey, error: unknown): WarcReading<never> {
  if (!(error instanceof BrokenDataError)) throw error
  return { id, ...pickKnown({ date, recordId }), value: { error: error.message } }
}

async function readRecord<T>(reader: AsyncIterReader, name: string, read: ReadBlock<T>): Promise<WarcReading<T>> {
  let key: RecordKey = { id: name }
  try {
    const { headers } = readHead((await readRecordHead(reader)).toString('utf8'))
    const first = (wanted: string): string | undefined => findValues(headers, wanted)[0]
    const target = first('warc-target-uri')
    const url = target && unwrap(target)
    const recordId = first('warc-record-id')
    key = {
      id: url ?? recordId ?? name,
      ...pickKnown({ date: first('warc-date'), recordId: recordId && unwrap(recordId) }),
    }
    const length = first('content-length') ?? ''
    if (!/^\d{1,15}$/.test(length)) throw new BrokenDataError('the record has no valid length')
    const type = first('content-type') ?? ''
    const isResponse = first('warc-type')?.toLowerCase() === 'response' && /^(?:application\/http\b|$)/i.test(type)
    const block = await readBlock(reader, Number(length), isResponse ? MAX_BLOCK_BYTES : 0)
    const address = first('warc-ip-address') ?? ''
    return { ...key, value: isResponse ? await read(url, block, isIP(address) === 0 ? null : address) : null }
  } catch (error) {
    return createBroken(key, error)
  }
}

/** Removes the angle brackets around a URI. */
const unwrap = (uri: string): string => uri.replace(/^<(.*)>$/, '$1')

const pickKnown = (values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])))

/** Reads the headers of a record, up to the blank line. */
async function readRecordHead(reader: AsyncIterReader): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of reader) {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0 && head.length <= MAX_HEAD_BYTES) continue
    if (end < 0) break
    reader.unread(head.subarray(end + 4))
    return head.subarray(0, end + 4)
  }
  throw new BrokenDataError('the record ends before the end of its headers')
}

/** Reads a record completely, and returns at most its first `maxBytes`. */
async function readBlock(reader: AsyncIterReader, length: number, maxBytes: number): Promise<Buffer> {
  const limited = new LimitReader(reader, length)
  const parts: Uint8Array[] = []
  let room = maxBytes
  for await (const chunk of limited) {
    if (room > 0) parts.push(chunk.subarray(0, room))
    room -= chunk.length
  }
  if (limited.limit > 0) throw new BrokenDataError('the file ends in the middle of the record')
  return Buffer.concat(parts)
}
