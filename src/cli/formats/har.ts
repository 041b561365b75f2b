import { readFile, stat } from 'node:fs/promises'
import { SetupError } from '../../errors.ts'
import { FOREIGN_TYPE } from '../../fetch/page-bodies.ts'
import type { PageInput } from '../../index.ts'
import { addRecordedBodies } from './archive-bodies.ts'
import { type Entry, isHtmlResponse, listLoaded, readAddress, readHeaders, readType } from './har-entries.ts'

const MAX_FILE_BYTES = 256 * 1024 * 1024

/**
 * Reads the pages of a HAR file: for each page the response with its main document, the scripts and style sheets that a scan
 * reads, and the URLs that it loaded, from the entries with the same `pageref`.
 * @returns at least one page, the first one of the file first
 * @throws SetupError when there is none; errors of the file system
 */
export async function readHarPages(file: string): Promise<readonly PageInput[]> {
  const log = await readLog(file)
  const entries = sortByTime(log.entries.filter(isObject) as Entry[])
  const documents = findDocuments(entries, log.pages)
  if (documents.length === 0)
    throw new SetupError(
      `${file} contains no HTML document. Record the page from its first request on, and save it again.`,
    )
  const pages: PageInput[] = []
  for (const document of documents) pages.push(await readDocument(file, document, entries))
  return pages
}

/** Reads the first page of a HAR file. @throws like `readHarPages` */
export async function readHar(file: string): Promise<PageInput> {
  return (await readHarPages(file))[0]
}

async function readDocument(file: string, document: Entry, all: readonly Entry[]): Promise<PageInput> {
  const { status, headers, content } = document.response ?? {}
  const { text, encoding } = content ?? {}
  if (typeof text !== 'string' && content?.size !== 0)
    throw new SetupError(`${file} does not contain the text of its document. Save it again as a HAR with content.`)
  const entries = all.filter(({ pageref }) => pageref === document.pageref)
  const url = readAddress(document) ?? ''
  const page: PageInput = {
    url,
    status:
      Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999 ? (status as number) : null,
    headers: Array.isArray(headers) ? readHeaders(headers) : null,
    html: decodeContent(typeof text === 'string' ? text : '', encoding),
    loaded: listLoaded(entries, url),
  }
  return await addRecordedBodies(page, async (wanted) => findBody(entries, wanted))
}

function decodeContent(text: string, encoding: unknown): string | Uint8Array {
  return encoding === 'base64' ? Buffer.from(text, 'base64') : text
}

/** Finds the text of the first successful response for a URL that can be a script or style sheet. */
function findBody(entries: readonly Entry[], url: string): string | Uint8Array | null {
  for (const entry of entries) {
    const { status, content } = entry.response ?? {}
    if (status === 200 && typeof content?.text === 'string' && readAddress(entry) === url)
      return FOREIGN_TYPE.test(readType(entry)) ? null : decodeContent(content.text, content.encoding)
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

/**
 * Finds the main document of each page: the entry that the browser marked as a document, or else the first HTML response. The
 * entries of a page have its ID as `pageref`; those without one are a page of their own only if there is no other.
 */
function findDocuments(entries: readonly Entry[], pages: unknown): readonly Entry[] {
  const responses = entries.filter(isHtmlResponse)
  const firstPage = Array.isArray(pages) && isObject(pages[0]) ? (pages[0] as { id?: unknown }).id : undefined
  const isMarked = ({ _resourceType }: Entry): boolean => _resourceType === 'document'
  const first =
    responses.find(isMarked) ??
    responses.find((entry) => firstPage !== undefined && entry.pageref === firstPage) ??
    responses[0]
  const candidates = responses.some(isMarked) ? responses.filter(isMarked) : responses
  const others = new Map<unknown, Entry>()
  for (const entry of candidates) {
    const { pageref } = entry
    if (typeof pageref === 'string' && pageref !== first.pageref && !others.has(pageref)) others.set(pageref, entry)
  }
  return first === undefined ? [] : [first, ...others.values()]
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
