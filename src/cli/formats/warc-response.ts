import { Readable } from 'node:stream'
import { AsyncIterReader } from 'warcio'
import { parseUrl } from '../../engine/text/parse-url.ts'
import { readBody } from '../../fetch/body.ts'
import { DEFAULT_POLICY } from '../../fetch/policy.ts'
import type { PageInput } from '../../index.ts'
import { BODY_TYPE } from './archive-bodies.ts'
import { BrokenDataError } from './seek.ts'

/** Maximum number of decoded bytes of a body that are scanned. */
export const MAX_BODY_BYTES = DEFAULT_POLICY.maxBodyBytes
/** Limit for status line and headers. */
export const MAX_HEAD_BYTES = 64 * 1024

export type HeaderPairs = readonly (readonly [string, string])[]

/** A recorded page. */
export interface RecordedPage {
  readonly page: PageInput
  /** One sentence for each truncation. */
  readonly warnings: readonly string[]
}

/** A recorded script or style sheet. */
export interface RecordedBody {
  readonly url: string
  readonly bytes: Uint8Array
}

const NEVER = new AbortController().signal

/**
 * Reads a recorded HTTP response; null when it is not HTML.
 * @param block the bytes on the wire, possibly truncated
 * @param address the one that answered, if it was recorded
 * @throws BrokenDataError when it is not an HTTP response, or `url` is not an http or https URL
 */
export async function readResponse(
  url: string | undefined,
  block: Buffer,
  address: string | null = null,
): Promise<RecordedPage | null> {
  const { status, headers, body } = splitResponse(block)
  if (status === undefined) throw new BrokenDataError('the record contains no HTTP response')
  const type = findValues(headers, 'content-type')[0]
  if (type !== undefined && !/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:$|[;,])/i.test(type)) return null
  const { bytes, warnings } = await decodeBody(headers, body)
  if (type === undefined && !looksLikeHtml(bytes)) return null
  if (url === undefined || !/^https?:$/.test(parseUrl(url)?.protocol ?? ''))
    throw new BrokenDataError('the record has no http or https URL')
  return { page: { url, status: Number(status), headers, html: bytes, ...(address !== null && { address }) }, warnings }
}

/** Reads a recorded HTTP response if it is a script or style sheet; null for anything else. */
export async function readBodyResponse(url: string | undefined, block: Buffer): Promise<RecordedBody | null> {
  const { status, headers, body } = splitResponse(block)
  const type = findValues(headers, 'content-type')[0] ?? ''
  if (status !== '200' || url === undefined || !BODY_TYPE.test(type)) return null
  const parsed = parseUrl(url)
  if (parsed === null) return null
  parsed.hash = ''
  return { url: parsed.href, bytes: (await decodeBody(headers, body)).bytes }
}

/** Splits a recorded response into status, headers and body. The status is undefined if it is not an HTTP response. */
function splitResponse(block: Buffer): {
  readonly status: string | undefined
  readonly headers: HeaderPairs
  readonly body: Buffer
} {
  const start = block.toString('latin1', 0, MAX_HEAD_BYTES)
  const end = /\r?\n\r?\n/.exec(start)
  const headBytes = end ? end.index + end[0].length : start.length
  const { line, headers } = readHead(start.slice(0, headBytes))
  const status = /^HTTP\/\d(?:\.\d)? +(\d{3})\b/i.exec(line)?.[1]
  return { status, headers, body: block.subarray(headBytes) }
}

/** Parses the first line and the headers of an HTTP response or a WARC record. */
export function readHead(text: string): { readonly line: string; readonly headers: HeaderPairs } {
  const [line, ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const headers = lines.flatMap((one): (readonly [string, string])[] => {
    const colon = one.indexOf(':')
    return colon > 0 ? [[one.slice(0, colon).trim(), one.slice(colon + 1).trim()]] : []
  })
  return { line, headers }
}

/** Finds the values of a header by its name in lower case. */
export function findValues(headers: HeaderPairs, wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

async function decodeBody(headers: HeaderPairs, body: Uint8Array): ReturnType<typeof readBody> {
  const isChunked = findValues(headers, 'transfer-encoding').some((value) => /\bchunked\b/i.test(value))
  const encoded = isChunked ? await new AsyncIterReader([body], null, true).readFully() : body
  // Some recorders store the decoded body but keep its Content-Encoding header.
  const encodings =
    looksLikeHtml(encoded) || isText(encoded) ? undefined : findValues(headers, 'content-encoding').join(',')
  return readBody(Readable.from([encoded]), encodings, {
    maxWireBytes: encoded.length,
    maxBodyBytes: MAX_BODY_BYTES,
    signal: NEVER,
  })
}

/** Whether a body begins like a script or style sheet, and not like compressed data. */
function isText(bytes: Uint8Array): boolean {
  return /^[\t\n\r\x20-\x7e]{64}/.test(Buffer.from(bytes.subarray(0, 64)).toString('latin1'))
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|html|head|body|meta|title|script|div)/i.test(start)
}
