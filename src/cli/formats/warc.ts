import { createReadStream } from 'node:fs'
import { AsyncIterReader, LimitReader } from 'warcio'
import { SetupError } from '../../errors.ts'
import { GzipMembers, MEMBER } from './gzip-members.ts'
import { BrokenData, type Gap, type Mark, seek } from './seek.ts'
import { MAX_BODY_BYTES, MAX_HEAD_BYTES, type RecordedPage, readHead, readResponse, valuesOf } from './warc-response.ts'

/** A page of a WARC file, or why there is none. `id` is the recorded URL, or where that cannot be read, `record 7`. */
export type WarcPage = ({ readonly id: string } & RecordedPage) | { readonly id: string; readonly error: string }

/** Bytes that are read at once: packed a thousandfold, they still fit into memory. */
const CHUNK_BYTES = 16 * 1024
/** Bytes of a record that are kept: headers, a body, and what chunks add to it. */
const MAX_BLOCK_BYTES = MAX_BODY_BYTES + 4 * MAX_HEAD_BYTES
const RECORD: Mark = { lead: '\n', text: 'WARC/', foreign: /[^\r\n]/ }

/**
 * Reads the HTML answers of a WARC file, gzip or not, in their order and in constant memory. A broken record costs that
 * record alone; what is not the record of an HTML answer is passed over.
 * @param options `onBytes` is told how many bytes of the file have been read
 * @throws SetupError when the file holds no record; what the file system fails with
 */
export async function* readWarc(
  file: string,
  options: { readonly onBytes?: (total: number) => void } = {},
): AsyncGenerator<WarcPage> {
  const stream = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    let total = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      total += chunk.length
      options.onBytes?.(total)
      yield chunk
    }
  }
  try {
    const raw = new AsyncIterReader(counted(), null)
    const reader = (await isGzip(raw)) ? new AsyncIterReader(new GzipMembers(raw), null) : raw
    let records = 0
    for await (const { entry } of readRecords(reader)) {
      records++
      if (entry !== null) yield entry
    }
    if (records === 0) throw new SetupError(`${file} holds no WARC record. Name a .warc or .warc.gz file.`)
  } finally {
    stream.destroy()
  }
}

/** By what the file begins with; its very first bytes may be what is damaged. */
async function isGzip(raw: AsyncIterReader): Promise<boolean> {
  for await (const chunk of raw) {
    raw.unread(chunk)
    const start = Buffer.from(chunk).toString('latin1')
    return start.includes(MEMBER.text) && (start.startsWith(MEMBER.text) || !start.includes(RECORD.text))
  }
  return false
}

/** One record; `entry` is null for what is passed over. */
interface Reading {
  readonly id: string
  readonly entry: WarcPage | null
}

const isBroken = ({ entry }: Reading): boolean => entry !== null && 'error' in entry

/** A record is handed out once what follows it was seen: where that is no record, its length is wrong. */
async function* readRecords(reader: AsyncIterReader): AsyncGenerator<Reading> {
  let before: Reading | null = null
  for (let number = 1; ; number++) {
    const name = `record ${number}`
    let gap: Gap
    try {
      gap = await seek(reader, RECORD)
    } catch (error) {
      if (before !== null) yield before
      before = broken(name, error)
      continue
    }
    if (before !== null && !gap.clean && !isBroken(before))
      before = broken(before.id, new BrokenData('the record is longer or shorter than it says'))
    if (before !== null) yield before
    if (!gap.found) return
    before = await readRecord(reader, name)
  }
}

function broken(id: string, error: unknown): Reading {
  if (!(error instanceof BrokenData)) throw error
  return { id, entry: { id, error: error.message } }
}

async function readRecord(reader: AsyncIterReader, name: string): Promise<Reading> {
  let id = name
  try {
    const { headers } = readHead((await takeHead(reader)).toString('utf8'))
    const first = (wanted: string): string | undefined => valuesOf(headers, wanted)[0]
    const url = first('warc-target-uri')?.replace(/^<(.*)>$/, '$1')
    id = url ?? first('warc-record-id') ?? name
    const length = first('content-length') ?? ''
    if (!/^\d{1,15}$/.test(length)) throw new BrokenData('the record does not say how long it is')
    const type = first('content-type') ?? ''
    const isAnswer = first('warc-type')?.toLowerCase() === 'response' && /^(?:application\/http\b|$)/i.test(type)
    const block = await takeBlock(reader, Number(length), isAnswer ? MAX_BLOCK_BYTES : 0)
    const recorded = isAnswer ? await readResponse(url, block) : null
    return { id, entry: recorded && { id, ...recorded } }
  } catch (error) {
    return broken(id, error)
  }
}

/** The headers of a record, up to their blank line. */
async function takeHead(reader: AsyncIterReader): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of reader) {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0 && head.length <= MAX_HEAD_BYTES) continue
    if (end < 0) break
    reader.unread(head.subarray(end + 4))
    return head.subarray(0, end + 4)
  }
  throw new BrokenData('the headers of the record do not end')
}

/** Reads a record to its end, keeping no more than `maxBytes` of it. */
async function takeBlock(reader: AsyncIterReader, length: number, maxBytes: number): Promise<Buffer> {
  const limited = new LimitReader(reader, length)
  const kept: Uint8Array[] = []
  let room = maxBytes
  for await (const chunk of limited) {
    if (room > 0) kept.push(chunk.subarray(0, room))
    room -= chunk.length
  }
  if (limited.limit > 0) throw new BrokenData('the file ends in the middle of the record')
  return Buffer.concat(kept)
}
