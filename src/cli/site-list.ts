import { createReadStream } from 'node:fs'
import { readLines } from './formats/lines.ts'

/** A longer line is reported as an invalid URL. */
const MAX_LINE_BYTES = 64 * 1024
const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i
/** A host with a dot, and perhaps a port and a path: what people write without `https://`. */
const BARE = /^[^\s/?#@:\\.]+(?:\.[^\s/?#@:\\.]+)+\.?(?::\d+)?(?:[/?#]\S*)?$/

/** A site of a list. */
export interface ListedSite {
  /** As the list has it, without white space at its ends. */
  readonly text: string
  /** The URLs to try: `https://` and then `http://` for a bare domain, otherwise the text itself. */
  readonly urls: readonly [string, string?]
  /** Equal for sites that are the same, such as `example.org` and `https://example.org/`. */
  readonly key: string
}

/** What a list names. */
export interface ListSource {
  /** Sites of the command line. */
  readonly positionals: readonly string[]
  /** A file with one site per line. */
  readonly urls?: string | undefined
}

/** Reads one entry of a list. Whether it is a URL shows only when it is scanned. */
export function parseSite(text: string): ListedSite {
  const trimmed = text.trim()
  const isBare = !SCHEME.test(trimmed) && BARE.test(trimmed)
  const urls: ListedSite['urls'] = isBare ? [`https://${trimmed}`, `http://${trimmed}`] : [text]
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

/** Yields the sites of the command line, then those of the file: one per line, `#` begins a comment. Duplicates are included. */
export async function* readSites({ positionals, urls }: ListSource): AsyncGenerator<ListedSite> {
  for (const text of positionals) yield parseSite(text)
  if (urls === undefined) return
  for await (const { text, number } of readLines(createReadStream(urls), MAX_LINE_BYTES)) {
    const site = text?.trim() ?? `line ${number} is longer than ${MAX_LINE_BYTES} bytes`
    if (site !== '' && !site.startsWith('#')) yield parseSite(site)
  }
}

/** Yields each site once, without those that are done. `done` contains texts of sites. */
export async function* skipDone(
  sites: AsyncIterable<ListedSite>,
  done: ReadonlySet<string>,
): AsyncGenerator<ListedSite> {
  const seen = new Set([...done].map((text) => parseSite(text).key))
  for await (const site of sites) if (seen.size < seen.add(site.key).size) yield site
}

/** Counts the different sites of a list, and the entries that repeat one of them. */
export async function countSites(source: ListSource): Promise<{ readonly sites: number; readonly duplicates: number }> {
  const keys = new Set<string>()
  let entries = 0
  for await (const { key } of readSites(source)) {
    keys.add(key)
    entries++
  }
  return { sites: keys.size, duplicates: entries - keys.size }
}
