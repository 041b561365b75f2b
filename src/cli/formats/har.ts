import { readFile, stat } from 'node:fs/promises'
import { parseUrl } from '../../engine/text/url.ts'
import { SetupError } from '../../errors.ts'
import { REDIRECT_STATUSES } from '../../fetch/redirect.ts'
import type { PageInput } from '../../index.ts'

const MAX_FILE_BYTES = 256 * 1024 * 1024

/** What is used of an entry (HAR 1.2, and Chrome's `_resourceType`); a stranger's file may hold anything else there. */
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
 * Reads the main document of a HAR file, as the server answered it.
 * @throws SetupError when there is none; what the file system fails with
 */
export async function readHar(file: string): Promise<PageInput> {
  const entry = findDocument(await readLog(file))
  if (entry === undefined)
    throw new SetupError(
      `${file} holds no HTML document. Record the page from its first request on, and save it again.`,
    )
  const { status, headers, content } = entry.response ?? {}
  const { text, encoding } = content ?? {}
  if (typeof text !== 'string' && content?.size !== 0)
    throw new SetupError(`${file} holds no text of its document. Save it again as a HAR with content.`)
  const html = typeof text === 'string' ? text : ''
  return {
    url: addressOf(entry),
    status:
      Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999 ? (status as number) : null,
    headers: Array.isArray(headers) ? readHeaders(headers) : null,
    html: encoding === 'base64' ? Buffer.from(html, 'base64') : html,
  }
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
    throw new SetupError(`${file} is no JSON: ${error.message}. Name a file that a browser saved as HAR.`)
  }
  const entries = har?.log?.entries
  if (!Array.isArray(entries))
    throw new SetupError(`${file} is no HAR: it has no list log.entries. Name a file that a browser saved as HAR.`)
  return { ...har?.log, entries }
}

/** What a browser calls a document, or else the first HTML that the first page came to. */
function findDocument({ pages, entries }: Awaited<ReturnType<typeof readLog>>): Entry | undefined {
  const answers = sortByTime(entries.filter(isObject) as Entry[]).filter(isHtmlAnswer)
  const firstPage = Array.isArray(pages) && isObject(pages[0]) ? (pages[0] as { id?: unknown }).id : undefined
  return (
    answers.find((entry) => entry._resourceType === 'document') ??
    answers.find((entry) => firstPage !== undefined && entry.pageref === firstPage) ??
    answers[0]
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** In the order of their requests, which HAR asks its readers to make sure of; as they stand where a time is missing. */
function sortByTime(entries: readonly Entry[]): readonly Entry[] {
  const timed = entries.map((entry) => ({ entry, time: Date.parse(String(entry.startedDateTime)) }))
  if (timed.some(({ time }) => Number.isNaN(time))) return entries
  return timed.sort((one, other) => one.time - other.time).map(({ entry }) => entry)
}

function isHtmlAnswer(entry: Entry): boolean {
  const { status, headers, content } = entry.response ?? {}
  if (REDIRECT_STATUSES.has(status) || addressOf(entry) === null) return false
  const header = readHeaders(headers).find(([name]) => name.toLowerCase() === 'content-type')
  const type = typeof content?.mimeType === 'string' && content.mimeType !== '' ? content.mimeType : header?.[1]
  return /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:$|[;,])/i.test(type ?? '')
}

function addressOf({ request }: Entry): string | null {
  const url = typeof request?.url === 'string' ? parseUrl(request.url) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.hash = ''
  return url.href
}

/** Names of HTTP/2's own (`:status`) are no headers; several values in one are on lines of their own. */
function readHeaders(headers: unknown): (readonly [string, string])[] {
  if (!Array.isArray(headers)) return []
  return headers.flatMap((header: { name?: unknown; value?: unknown } | null) => {
    const { name, value } = header ?? {}
    if (typeof name !== 'string' || typeof value !== 'string' || name.startsWith(':')) return []
    return value.split('\n').map((line) => [name, line] as const)
  })
}
