import { decodeBinaryString, decodeHtml } from '../text/charset.ts'
import { buildBase, type UrlBase, UrlResolver } from '../text/url.ts'
import { countWords } from '../text/words.ts'
import { collectBlocks } from './blocks.ts'
import { readAttribute } from './element.ts'
import { findHeader } from './find-header.ts'
import { readBodies } from './page-bodies.ts'
import { readTags, sortScripts } from './page-containers.ts'
import { checkInput, type PageInput, readAddress, readDns, readHeaders } from './page-input.ts'
import type { Page, Parsed, Tape } from './page-types.ts'
import { collectUrls } from './page-urls.ts'
import { selectBodiesOfTape } from './select-bodies.ts'
import { buildTape } from './tape.ts'

export type { PageInput }

/** Maximum number of characters of a document that are read. */
const MAX_CHARACTERS = 4 * 1024 * 1024
/** Maximum number of characters of visible text in which words are counted. */
const MAX_COUNTED_CHARACTERS = 96 * 1024

/**
 * Parses one response into a page, without I/O. Any body is accepted.
 * @throws TypeError naming the key whose value does not fit `PageInput`, or if `url` is not an absolute http or https URL
 */
export function buildPage(input: PageInput): Page {
  const warnings: string[] = []
  checkInput(input)
  const address = readAddress(input.url)
  const headers = readHeaders(input.headers, warnings)
  const html = readHtml(input.html ?? '', headers, warnings)
  const parsed = buildTape(html)
  const { tape, comments, text } = parsed
  const base = buildBase(address, findAttribute(tape, 'base', 'href'))
  const resolver = new UrlResolver(base)
  // Resolved before the links of the page, which may use up the bounds of the resolver.
  const url = address === null ? null : resolver.resolve(address)
  const found: string[] = []
  const urls = collectUrls(tape, { resolver, address, headers, loaded: input.loaded ?? [] }, found)
  const blocks = collectBlocks(tape, found)
  const words = countPageWords(text, found)
  const bodies = readPageBodies(input, { parsed, html, address, base, warnings: found })
  return {
    url,
    base,
    status: input.status ?? null,
    headers,
    html,
    tape,
    urls,
    comments,
    text,
    words,
    ...blocks,
    dns: readDns(input.dns),
    tls: input.tls ? { issuer: input.tls.issuer ?? null, names: input.tls.names ?? [] } : null,
    address: input.address ?? null,
    network: readNetwork(input),
    robots: input.robots ?? null,
    favicon: input.favicon ?? null,
    ...bodies,
    globals: input.globals ? Object.entries(input.globals) : null,
    cookies: Object.entries(input.cookies ?? {}),
    warnings: [...warnings, ...parsed.warnings, ...found],
  }
}

/** An address without a network was looked up in vain. */
function readNetwork({ address = null, network }: PageInput): Page['network'] {
  if (network) return { asn: network.asn, name: network.name }
  return network === null && address !== null ? 'unknown' : null
}

const NO_BODIES: Pick<Page, 'bundles' | 'stylesheets' | 'tags'> = { bundles: null, stylesheets: null, tags: null }

interface ParsedDocument {
  readonly parsed: Parsed
  readonly html: string
  readonly address: string | null
  readonly base: UrlBase
  readonly warnings: string[]
}

function readPageBodies(
  { scripts, styles }: PageInput,
  { base, parsed, ...page }: ParsedDocument,
): Pick<Page, 'bundles' | 'stylesheets' | 'tags'> {
  if (!scripts && !styles) return NO_BODIES
  const sorted = scripts ? sortScripts(scripts) : null
  const selection = selectBodiesOfTape(parsed, page.html, page.address)
  const resolver = new UrlResolver(base)
  return {
    bundles: readBodies(sorted?.others, { kind: 'script', selection, resolver, ...page }),
    stylesheets: readBodies(styles, { kind: 'style', selection, resolver, ...page }),
    tags: sorted && readTags(sorted.containers, page),
  }
}

function countPageWords(text: string, warnings: string[]): number {
  if (text.length <= MAX_COUNTED_CHARACTERS) return countWords(text)
  warnings.push(
    `words were counted in the first ${MAX_COUNTED_CHARACTERS} of ${text.length} characters of visible text`,
  )
  return countWords(text.slice(0, MAX_COUNTED_CHARACTERS))
}

function readHtml(html: string | Uint8Array, headers: Page['headers'], warnings: string[]): string {
  const contentType = findHeader(headers, 'content-type')
  const source =
    typeof html === 'string' ? decodeBinaryString(html).replace(/^\ufeff/, '') : decodeHtml(html, contentType)
  if (source.length <= MAX_CHARACTERS) return source
  warnings.push(`only the first ${MAX_CHARACTERS} of ${source.length} characters were read`)
  return source.slice(0, MAX_CHARACTERS)
}

/** Reads the attribute of the first element that has it: a `<base target>` before the `<base href>` is skipped. */
function findAttribute(tape: Tape, tag: string, name: string): string | undefined {
  for (let at = tape.tags.indexOf(tag); at >= 0; at = tape.tags.indexOf(tag, at + 1)) {
    const value = readAttribute(tape, at, name)
    if (value !== undefined) return value
  }
  return undefined
}
