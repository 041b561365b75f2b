import { readFile, stat } from 'node:fs/promises'
import { parseUrl } from '../../engine/text/url.ts'
import { SetupError } from '../../errors.ts'
import { REDIRECT_STATUSES } from '../../fetch/redirect.ts'
import type { PageInput } from '../../index.ts'
import { addRecordedBodies } from './archive-bodies.ts'

const MAX_FILE_BYTES = 256 * 1024 * 1024

/** The fields of an entry that are used (HAR 1.2, and Chrome's `_resourceType`). Their types are not guaranteed. */
interface Entry {
  readonly _resourceType?: unknown
  readonly pageref?: unknown
  readonly startedDateTime?: unknown
  readonly request?: { readonly url?: unknown }
  readonly response?: {
    readonly status?: unknown
    readonly headers?: unknown
    readonly content?: Partial<Readonly<Record<'mimeType' | 'text' | 'encoding' | 'size', unknown>>>
  }
}

/**
 * Reads the response with the main document of a HAR file, and the scripts and style sheets of its other entries.
 * @throws SetupError when there is none; errors of the file system
 */
export async function readHar(file: string): Promise<PageInput> {
  const log = await readLog(file)
  const entry = findDocument(log)
  if (entry === undefined)
    throw new SetupError(
      `${file} contains no HTML document. Record the page from its first request on, and save it again.`,
    )
  const { status, headers, content } = entry.response ?? {}
  const { text, encoding } = content ?? {}
  if (typeof text !== 'string' && content?.size !== 0)
    throw new SetupError(`${file} does not contain the text of its document. Save it again as a HAR with content.`)
  const page: PageInput = {
    url: readAddress(entry),
    status:
      Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999 ? (status as number) : null,
    headers: Array.isArray(headers) ? readHeaders(headers) : null,
    html: decodeContent(typeof text === 'string' ? text : '', encoding),
  }
  return await addRecordedBodies(page, async (url) => findBody(log.entries, url))
}

function decodeContent(text: string, encoding: unknown): string | Uint8Array {
  return encoding === 'base64' ? Buffer.from(text, 'base64') : text
}

/** Finds the text of the first successful response for a URL. */
function findBody(entries: readonly unknown[], url: string): string | Uint8Array | null {
  for (const entry of entries.filter(isObject) as Entry[]) {
    const { status, content } = entry.response ?? {}
    if (status === 200 && typeof content?.text === 'string' && readAddress(entry) === url)
      return decodeContent(content.text, content.encoding)
  }
  return null
}

async function readLog(file: string): Promise<{ readonly pages?: unknown; readonly entries: readonly unknown[] }> {
  const { size } = await stat(file)
  if (size > MAX_FILE_BYTES)
    throw new SetupError(`${file} is larger than ${MAX_FILE_BYTES >> 20} MiB. Record fewer pages into one file.`)
  let har: { readonly log?: { readonly entries?: unknown } } | null
  try {
    har = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new SetupError(`${file} is not valid JSON: ${error.message}. Use a file that a browser saved as HAR.`)
  }
  const entries = har?.log?.entries
  if (!Array.isArray(entries))
    throw new SetupError(
      `${file} is not a HAR file: it has no list log.entries. Use a file that a browser saved as HAR.`,
    )
  return { ...har?.log, entries }
}

/** Finds the entry that the browser marked as a document, or else the first HTML response of the first page. */
function findDocument({ pages, entries }: Awaited<ReturnType<typeof readLog>>): Entry | undefined {
  const responses = sortByTime(entries.filter(isObject) as Entry[]).filter(isHtmlResponse)
  const firstPage = Array.isArray(pages) && isObject(pages[0]) ? (pages[0] as { id?: unknown }).id : undefined
  return (
    responses.find((entry) => entry._resourceType === 'document') ??
    responses.find((entry) => firstPage !== undefined && entry.pageref === firstPage) ??
    responses[0]
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Sorts entries by the time of their request, as HAR requires of its readers; keeps their order if a time is missing. */
function sortByTime(entries: readonly Entry[]): readonly Entry[] {
  const timed = entries.map((entry) => ({ entry, time: Date.parse(String(entry.startedDateTime)) }))
  if (timed.some(({ time }) => Number.isNaN(time))) return entries
  return timed.sort((one, other) => one.time - other.time).map(({ entry }) => entry)
}

function isHtmlResponse(entry: Entry): boolean {
  const { status, headers, content } = entry.response ?? {}
  if (REDIRECT_STATUSES.has(status) || readAddress(entry) === null) return false
  const header = readHeaders(headers).find(([name]) => name.toLowerCase() === 'content-type')
  const type = typeof content?.mimeType === 'string' && content.mimeType !== '' ? content.mimeType : header?.[1]
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:$|[;,])/i.test(type ?? '')
}

function readAddress({ request }: Entry): string | null {
  const url = typeof request?.url === 'string' ? parseUrl(request.url) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return url.href
}

/** Reads headers. Pseudo-headers of HTTP/2 (`:status`) are skipped; a value with several lines is split. */
function readHeaders(headers: unknown): (readonly [string, string])[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header: { name?: unknown; value?: unknown } | null) => {
    const { name, value } = header ?? {}
    if (typeof name !== 'string' || typeof value !== 'string' || name.startsWith(':')) return []
    return value.split('\n').map((line) => [name, line] as const)
  })
}
