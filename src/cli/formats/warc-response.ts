import { Readable } from 'node:stream'
import { AsyncIterReader } from 'warcio'
import { parseUrl } from '../../engine/text/url.ts'
import { readBody } from '../../fetch/body.ts'
import { DEFAULT_POLICY } from '../../fetch/policy.ts'
import type { PageInput } from '../../index.ts'
import { BrokenData } from './seek.ts'

/** Bytes of a body, unpacked, that are looked at. */
export const MAX_BODY_BYTES = DEFAULT_POLICY.maxBodyBytes
/** Bytes of status line and headers. */
export const MAX_HEAD_BYTES = 64 * 1024

export type HeaderPairs = readonly (readonly [string, string])[]

/** A page as it was recorded. */
export interface RecordedPage {
  readonly page: PageInput
  /** One sentence for each cut. */
  readonly warnings: readonly string[]
}

const NEVER = new AbortController().signal

/**
 * Reads an HTTP answer as it went over the wire; null when it is not HTML.
 * @param block as far as it is kept: a cut body is taken as far as it came
 * @throws BrokenData when it is no HTTP answer, or `url` is not an http or https URL
 */
export async function readResponse(url: string | undefined, block: Buffer): Promise<RecordedPage | null> {
  const start = block.toString('latin1', 0, MAX_HEAD_BYTES)
  const end = /\r?\n\r?\n/.exec(start)
  const headBytes = end ? end.index + end[0].length : start.length
  const { line, headers } = readHead(start.slice(0, headBytes))
  const status = /^HTTP\/\d(?:\.\d)? +(\d{3})\b/i.exec(line)?.[1]
  if (status === undefined) throw new BrokenData('the record holds no HTTP answer')
  const type = valuesOf(headers, 'content-type')[0]
  if (type !== undefined && !/^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:$|[;,])/i.test(type)) return null
  const { bytes, warnings } = await unpack(headers, block.subarray(headBytes))
  if (type === undefined && !looksLikeHtml(bytes)) return null
  if (url === undefined || !/^https?:$/.test(parseUrl(url)?.protocol ?? ''))
    throw new BrokenData('the record names no http or https URL')
  return { page: { url, status: Number(status), headers, html: bytes }, warnings }
}

/** First line and headers, of an HTTP answer or a WARC record. */
export function readHead(text: string): { readonly line: string; readonly headers: HeaderPairs } {
  const [line, ...lines] = text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const headers = lines.flatMap((one): (readonly [string, string])[] => {
    const colon = one.indexOf(':')
    return colon > 0 ? [[one.slice(0, colon).trim(), one.slice(colon + 1).trim()]] : []
  })
  return { line, headers }
}

/** The values of a header, by its name in lower case. */
export function valuesOf(headers: HeaderPairs, wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value)
}

async function unpack(headers: HeaderPairs, body: Uint8Array): ReturnType<typeof readBody> {
  const isChunked = valuesOf(headers, 'transfer-encoding').some((value) => /\bchunked\b/i.test(value))
  const packed = isChunked ? await new AsyncIterReader([body], null, true).readFully() : body
  // Some recorders keep the header of a body that they have unpacked.
  const encodings = looksLikeHtml(packed) ? undefined : valuesOf(headers, 'content-encoding').join(',')
  return readBody(Readable.from([packed]), encodings, {
    maxWireBytes: packed.length,
    maxBodyBytes: MAX_BODY_BYTES,
    signal: NEVER,
  })
}

function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  return /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|!--|html|head|body|meta|title|script|div)/i.test(start)
}
