import { isBareSite, listUrls } from '../../fetch/list-urls.ts'
import { UsageError } from '../command/command.ts'
import { readLines } from '../formats/lines.ts'
import type { CarriedColumn } from '../formats/record-format.ts'
import { findTableColumns, openCsvSites } from './csv-sites.ts'
import type { ListInput } from './list-input.ts'

/** A longer line is reported as an invalid URL. */
const MAX_LINE_BYTES = 64 * 1024

/** A site of a list. */
export interface ListedSite {
  /** As written in the list, trimmed. */
  readonly text: string
  /** The URLs to try: `https://` and then `http://` for a bare domain, only `http://` with port 80; otherwise the text itself. */
  readonly urls: readonly [string, string?]
  /** The other cells of its row, by column, if the list is a CSV file. */
  readonly input?: Readonly<Record<string, string>>
  /** Equal for sites that are the same, such as `example.org` and `https://example.org/`. */
  readonly key: string
}

/** The sources of a list of sites. */
export interface ListSource {
  /** Sites of the command line. */
  readonly positionals: readonly string[]
  /** One site per line, or CSV. */
  readonly input?: ListInput | undefined
  /** The column with the sites, if the input is CSV. */
  readonly column?: string | undefined
}

/** The sites of a list, which can be read several times. */
export interface SiteList {
  /** Columns of a CSV file that are carried through. */
  readonly carried: readonly CarriedColumn[]
  /** Yields the sites of the command line, then those of the file. Duplicates are included; a row without a site is null. */
  read(): AsyncGenerator<ListedSite | null>
}

/** Reads one entry of a list. An invalid URL is noticed only when it is scanned. */
export function parseSite(text: string): ListedSite {
  const urls = listUrls(text)
  const parsed = parseUrl(urls[0])
  if (parsed !== null) parsed.hash = ''
  return { text, urls, key: parsed?.href ?? text }
}

/** The host of a site with its port, or the text if it is not a URL. */
export const readHost = ({ urls: [url], text }: ListedSite): string => parseUrl(url)?.host ?? text

function parseUrl(text: string): URL | null {
  try {
    return new URL(text.trim())
  } catch {
    return null
  }
}

/**
 * Opens a list.
 * @throws UsageError if a CSV file does not have the column, or if it needs `--column`; reading throws one for a file in another
 * encoding
 */
export async function openSiteList({ positionals, input, column }: ListSource): Promise<SiteList> {
  const csv = input === undefined || column === undefined ? null : await openCsvSites(input, column)
  if (csv === null && input !== undefined && TABLE_NAME.test(input.name)) await checkPlain(input)
  return {
    carried: csv?.carried ?? [],
    async *read() {
      for (const text of positionals) yield parseSite(text)
      if (csv !== null)
        for await (const { site, input } of csv.rows()) yield site === '' ? null : { ...parseSite(site), input }
      else if (input !== undefined) yield* readSiteLines(input)
    },
  }
}

/** Names of files that are tables. */
const TABLE_NAME = /\.(?:csv|tsv)$/i

/** @throws UsageError for a table, which is read only with `--column` */
async function checkPlain(input: ListInput): Promise<void> {
  const columns = await findTableColumns(input, isSiteText)
  if (columns === null) return
  throw new UsageError(
    `${input.name} is a table: name the column that contains the sites with --column; its columns are ${columns.join(', ')}`,
  )
}

/** Whether a line is a URL or a domain, and not the beginning of a row with several cells. */
export function isSiteText(line: string): boolean {
  const [, host] = /^(?:https?:\/\/)?([^/?#]*)/i.exec(line) ?? []
  return !/\s/.test(line) && !/[,;|"]/.test(host ?? '') && (/^https?:\/\/./i.test(line) || isBareSite(line))
}

/**
 * Yields the sites of a file: one per line; empty lines and those that begin with `#` are skipped.
 * @throws UsageError for a file that is not in UTF-8. UTF-16 without a byte order mark is recognized by its NULs.
 */
async function* readSiteLines(input: ListInput): AsyncGenerator<ListedSite> {
  for await (const { text, number, isUtf8 } of readLines(input.read(), MAX_LINE_BYTES)) {
    if (!isUtf8 || text?.includes('\0')) throw new UsageError(`${input.name} is not in UTF-8: save it again as UTF-8`)
    const site = text?.trim() ?? `line ${number} is longer than ${MAX_LINE_BYTES} bytes`
    if (site !== '' && !site.startsWith('#')) yield parseSite(site)
  }
}

/** Yields each site once, except those that are done. `done` contains texts of sites. */
export async function* skipDone(
  sites: AsyncIterable<ListedSite | null>,
  done: ReadonlySet<string>,
): AsyncGenerator<ListedSite> {
  const seen = new Set([...done].map((text) => parseSite(text).key))
  for await (const site of sites) if (site !== null && seen.size < seen.add(site.key).size) yield site
}

/** The counts of a list. */
export interface SiteCounts {
  /** Different sites. */
  readonly sites: number
  /** Entries that repeat one of them. */
  readonly duplicates: number
  /** Rows of a CSV file without a site. */
  readonly empty: number
}

/** Counts the sites of a list. */
export async function countSites(list: SiteList): Promise<SiteCounts> {
  const keys = new Set<string>()
  let entries = 0
  let empty = 0
  for await (const site of list.read()) {
    if (site === null) {
      empty++
      continue
    }
    keys.add(site.key)
    entries++
  }
  return { sites: keys.size, duplicates: entries - keys.size, empty }
}
