import type { Config } from '../../config/config.ts'
import type { PageInput, Ruleset } from '../../index.ts'
import { checkFiles } from '../command/check-files.ts'
import { checkAddress, UsageError } from '../command/command.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { readHar } from '../formats/har.ts'
import { readSavedPage } from '../formats/saved-page.ts'

/** The source of the page of a `rules` verb: a live site, or a saved page. */
export type PageSource =
  | { readonly kind: 'live'; readonly url: string }
  | { readonly kind: 'har'; readonly har: string }
  | {
      readonly kind: 'html'
      readonly html: string
      readonly url: string | undefined
      readonly headers: string | undefined
    }

/**
 * Reads the options of a page.
 * @param url the positional URL of a live site
 * @returns null if no page is named
 * @throws UsageError when two pages are named, or an option does not belong to the page
 */
export function readPageSource(given: Given, url: string | undefined): PageSource | null {
  const [html, har, address, headers] = ['html', 'har', 'url', 'headers'].map((name) => readTextOption(given, name))
  const named = [url !== undefined && `"${url}"`, html !== undefined && '--html', har !== undefined && '--har'].filter(
    (one) => one !== false,
  )
  if (named.length > 1) throw new UsageError(`${named[0]} cannot be combined with ${named[1]}: name one page`)
  for (const [option, value] of [
    ['url', address],
    ['headers', headers],
  ] as const)
    if (value !== undefined && html === undefined)
      throw new UsageError(`--${option} describes a saved page: use it with --html FILE`)
  if (url !== undefined) {
    checkLiveAddress(url)
    return { kind: 'live', url }
  }
  if (har !== undefined) return { kind: 'har', har }
  checkAddress(address)
  return html === undefined ? null : { kind: 'html', html, url: address, headers }
}

function checkLiveAddress(url: string): void {
  if (!/^https?:\/\//i.test(url))
    throw new UsageError(`"${url}" is not an http or https URL; to read a saved page, use --html FILE or --har FILE`)
}

/**
 * Reads a page. A live site is fetched like in a scan, with the side evidence that rules use.
 * @throws UsageError for a file that cannot be read, or a site that cannot be fetched
 */
export async function readPage(
  source: PageSource,
  config: Config,
  ruleset: Pick<Ruleset, 'wanted'>,
): Promise<PageInput> {
  if (source.kind === 'live') {
    const { fetchPage } = await import('./fetch-page.ts') // Imported on demand: the HTTP client takes a quarter of the start of a command.
    return await fetchPage(source.url, config, ruleset.wanted('dns'))
  }
  if (source.kind === 'har') {
    await checkFiles({ har: source.har })
    return await readHar(source.har)
  }
  await checkFiles({ html: source.html, headers: source.headers })
  return await readSavedPage(source)
}
