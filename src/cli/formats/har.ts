import { readFile, stat } from 'node:fs/promises'
import type { SavedFile } from '../../browser/saved-network.ts'
import { SetupError } from '../../errors.ts'
import { FOREIGN_TYPE } from '../../fetch/page-bodies.ts'
import type { PageInput } from '../../index.ts'
import { addRecordedBodies } from './archive-bodies.ts'
import {
  type HarEntry,
  isHtmlResponse,
  isTopLevel,
  listLoaded,
  readAddress,
  readHeaders,
  readServer,
  readType,
} from './har-entries.ts'
import type { FindFile } from './saved-files.ts'

const MAX_FILE_BYTES = 256 * 1024 * 1024

/** The pages of a HAR file. */
export interface HarPages {
  /** At least one page, the first one of the file first. */
  readonly pages: readonly PageInput[]
  /** For each page a function that finds the files of its tab. */
  readonly files: readonly FindFile[]
  /**
   * Documents that may be pages but are left out: their text was not recorded, or the file does not show that they are
   * not frames.
   */
  readonly leftOut: number
}

/**
 * Reads the pages of a HAR file: for each page the response with its main document, the scripts and style sheets that a scan
 * reads, and the URLs that it loaded, from the entries with the same `pageref`. If a tab opened several pages one after the other,
 * the entries from one document to the next belong to it.
 * @throws SetupError when there is none; errors of the file system
 */
export async function readHarPages(file: string): Promise<HarPages> {
  const log = await readLog(file)
  const entries = sortByTime(log.entries.filter(isObject) as HarEntry[])
  const { documents, unclear } = findDocuments(entries, log.pages)
  if (documents.length === 0)
    throw new SetupError(
      `${file} contains no HTML document. Record the page from its first request on, and save it again.`,
    )
  const recorded = documents.filter(hasText)
  if (recorded.length === 0)
    throw new SetupError(`${file} does not contain the text of its document. Save it again as a HAR with content.`)
  const pages: PageInput[] = []
  const files: FindFile[] = []
  for (const document of recorded) {
    const listed = listEntries(document, entries, documents)
    pages.push(await readDocument(document, listed))
    files.push(async (url) => findFile(listed.ofTab, url))
  }
  return { pages, files, leftOut: unclear + documents.length - recorded.length }
}

/** Reads the first page of a HAR file. @throws like `readHarPages` */
export async function readHar(file: string): Promise<PageInput> {
  return (await readHarPages(file)).pages[0]
}

function hasText({ response }: HarEntry): boolean {
  return typeof response?.content?.text === 'string' || response?.content?.size === 0
}

/** The entries of a tab, and those of one page in it. */
interface PageEntries {
  /** A browser may not load a script of an earlier page again, so its text comes from the earlier entry. */
  readonly ofTab: readonly HarEntry[]
  readonly ofPage: readonly HarEntry[]
}

function listEntries(document: HarEntry, all: readonly HarEntry[], documents: readonly HarEntry[]): PageEntries {
  const ofTab = all.filter(({ pageref }) => pageref === document.pageref)
  const starts = ofTab.flatMap((entry, at) => (documents.includes(entry) ? [at] : []))
  const from = ofTab.indexOf(document)
  const to = starts.find((at) => at > from)
  // Entries before the first document belong to it.
  const ofPage = ofTab.slice(from === starts[0] ? 0 : from, to)
  return { ofTab: [...ofPage, ...ofTab], ofPage }
}

async function readDocument(document: HarEntry, { ofTab, ofPage }: PageEntries): Promise<PageInput> {
  const { status, headers, content } = document.response ?? {}
  const { text, encoding } = content ?? {}
  const url = readAddress(document) ?? ''
  const server = readServer(document)
  const page: PageInput = {
    url,
    status:
      Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999 ? (status as number) : null,
    headers: Array.isArray(headers) ? readHeaders(headers) : null,
    html: decodeContent(typeof text === 'string' ? text : '', encoding),
    loaded: listLoaded(ofPage, url),
    ...(server !== null && { address: server }),
  }
  return await addRecordedBodies(page, async (wanted) => findBody(ofTab, wanted))
}

function decodeContent(text: string, encoding: unknown): string | Uint8Array {
  return encoding === 'base64' ? Buffer.from(text, 'base64') : text
}

/** A successful response, with its text. */
interface FoundText {
  readonly entry: HarEntry
  readonly text: string | Uint8Array
}

/** Finds the first successful response for a URL whose text was recorded. */
function findText(entries: readonly HarEntry[], url: string): FoundText | null {
  for (const entry of entries) {
    const { status, content } = entry.response ?? {}
    if (status === 200 && typeof content?.text === 'string' && readAddress(entry) === url)
      return { entry, text: decodeContent(content.text, content.encoding) }
  }
  return null
}

/** Finds the text of a response that can be a script or style sheet. */
function findBody(entries: readonly HarEntry[], url: string): string | Uint8Array | null {
  const found = findText(entries, url)
  return found === null || FOREIGN_TYPE.test(readType(found.entry)) ? null : found.text
}

/** Finds a response of any type. */
function findFile(entries: readonly HarEntry[], url: string): SavedFile | null {
  const found = findText(entries, url)
  if (found === null) return null
  const { entry, text: body } = found
  const type = readType(entry) || 'application/octet-stream'
  // A text is that of the recording browser, in UTF-8, whatever charset its server named.
  return { body, type: typeof body === 'string' ? `${type.split(';', 1)[0]}; charset=utf-8` : type }
}

async function readLog(file: string): Promise<{ readonly pages?: unknown; readonly entries: readonly unknown[] }> {
  const { size } = await stat(file)
  if (size > MAX_FILE_BYTES)
    throw new SetupError(`${file} is larger than ${MAX_FILE_BYTES >> 20} MiB. Record fewer pages in one file.`)
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

/** The main documents of a file. */
interface Documents {
  readonly documents: readonly HarEntry[]
  /** Number of documents marked by the browser that may be pages or frames. */
  readonly unclear: number
}

/**
 * Finds the main documents of each tab: the entry that the browser marked as a document, or else the first HTML response, and
 * the pages that the same tab opened after it. The entries of a tab have its ID as `pageref`; those without one are a tab of
 * their own only if there is no other.
 */
function findDocuments(entries: readonly HarEntry[], pages: unknown): Documents {
  const responses = entries.filter(isHtmlResponse)
  const firstPage = Array.isArray(pages) && isObject(pages[0]) ? (pages[0] as { id?: unknown }).id : undefined
  const isMarked = ({ _resourceType }: HarEntry): boolean => _resourceType === 'document'
  const first =
    responses.find(isMarked) ??
    responses.find((entry) => firstPage !== undefined && entry.pageref === firstPage) ??
    responses[0]
  if (first === undefined) return { documents: [], unclear: 0 }
  const hasMarks = responses.some(isMarked)
  const candidates = hasMarks ? responses.filter(isMarked) : responses
  const tabs = new Map<unknown, HarEntry[]>([[first.pageref, [first]]])
  let unclear = 0
  for (const entry of candidates) {
    const tab = tabs.get(entry.pageref)
    if (tab === undefined && typeof entry.pageref === 'string') tabs.set(entry.pageref, [entry])
    if (tab === undefined || entry === first) continue
    const isPage = isTopLevel(entry, tab[0])
    if (isPage) tab.push(entry)
    if (isPage === null && hasMarks) unclear++
  }
  return { documents: [...tabs.values()].flat(), unclear }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Sorts entries by the time of their request, as HAR requires of its readers; keeps their order if a time is missing. */
function sortByTime(entries: readonly HarEntry[]): readonly HarEntry[] {
  const timed = entries.map((entry) => ({ entry, time: readTime(entry) }))
  if (timed.some(({ time }) => Number.isNaN(time))) return entries
  return timed.sort((one, other) => one.time - other.time).map(({ entry }) => entry)
}

/** Reads the time of the request of an entry in milliseconds; NaN if it is missing or not a date. */
function readTime({ startedDateTime }: HarEntry): number {
  return typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN
}
