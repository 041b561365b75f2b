import { formatPartWas } from '../text/count.ts'
import type { UrlResolver } from '../text/url.ts'
import type { PageBodyInput } from './page-input.ts'
import type { PageBodies, PageBody } from './page-types.ts'
import { BODY_BOUNDS, type BodySelection, isSharedHost, MAX_BODY_BYTES } from './select-bodies.ts'

/** The beginning of an HTML document, which servers also send for files that do not exist. */
const HTML_START = /^\s*<(?!!--)/
/** Why a body is missing for which a server sent a page. */
export const HTML_INSTEAD = 'an HTML page instead of the file'
const NAMES = { script: 'script', style: 'style sheet' } as const

interface BodyReading {
  readonly kind: 'script' | 'style'
  readonly selection: BodySelection
  readonly resolver: UrlResolver
  readonly warnings: string[]
}

/** A given body with its resolved URL. */
interface GivenBody extends PageBody {
  readonly isCut: boolean
  /** Why there is no text. */
  readonly missing?: string | undefined
}

/**
 * Reads the given scripts or style sheets of a page, in the order and within the bounds of `selectBodies`. Those that the page
 * does not link follow the others: another script may have loaded them.
 * @returns null if they were not looked at
 */
export function readBodies(
  given: readonly PageBodyInput[] | null | undefined,
  reading: BodyReading,
): PageBodies | null {
  if (given === null || given === undefined) return null
  const { kind, selection, warnings } = reading
  const { count, totalBytes } = BODY_BOUNDS[kind]
  const wanted = orderBodies(given, reading)
  const present = wanted.filter((body) => body !== null && body.missing === undefined) as GivenBody[]
  const bodies: PageBody[] = []
  let room: number = totalBytes
  let cuts = 0
  for (const { url, text, isCut } of present.slice(0, count)) {
    const end = Math.min(MAX_BODY_BYTES, room, text.length)
    room -= end
    if (isCut || end < text.length) cuts++
    bodies.push({ url, text: text.slice(0, end) })
  }
  const all = wanted.length + selection.skipped[kind]
  const missing = all - bodies.length
  const form = { all, noun: NAMES[kind], of: 'of the site' }
  const reasons = countReasons([
    ...wanted.map((body) => body?.missing),
    ...present.slice(count).map(() => `beyond the limit of ${count} files`),
    ...Array.from({ length: selection.skipped[kind] }, () => `beyond the limit of ${count} files`),
  ])
  if (missing > 0) warnings.push(`${formatPartWas(missing, form)} not read${formatReasons(reasons, missing)}`)
  if (cuts > 0) warnings.push(`${formatPartWas(cuts, form)} read only in part`)
  return { bodies, isComplete: missing === 0 && cuts === 0 }
}

/** Counts equal reasons. Bodies without one are not counted: the input does not say why they are missing. */
function countReasons(reasons: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const reason of reasons) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return counts
}

/** Formats why bodies are missing: `: status 404 (3), not received in time (1)`, or a single reason without its count. */
function formatReasons(counts: ReadonlyMap<string, number>, missing: number): string {
  if (counts.size === 0) return ''
  const texts = [...counts].map(([reason, count]) => (count === missing ? reason : `${reason} (${count})`))
  return `: ${texts.join(', ')}`
}

/** Orders the given bodies: first those that are selected, with null for each that was not given, then those not linked. */
function orderBodies(
  given: readonly PageBodyInput[],
  { kind, selection, resolver }: BodyReading,
): (GivenBody | null)[] {
  const byUrl = new Map<string, GivenBody>()
  for (const { url: written, text, isCut = false, missing } of given) {
    const url = resolver.resolve(written)
    if (url !== null && !byUrl.has(url.href)) byUrl.set(url.href, { url, isCut, ...readText(text, missing) })
  }
  const linked = selection.selected[kind].map(({ url }) => byUrl.get(url.href) ?? null)
  const others = [...byUrl.values()].filter(({ url }) => !selection.linked.has(url.href) && !isSharedHost(url.host))
  return [...linked, ...others]
}

/** Reads the text of a body. A page instead of the file means that the file does not exist. */
function readText(given: string | Uint8Array, missing: string | undefined): Pick<GivenBody, 'text' | 'missing'> {
  const text = missing === undefined ? decodeBody(given) : ''
  return { text, missing: HTML_START.test(text.slice(0, 100)) ? HTML_INSTEAD : missing }
}

/** Decodes UTF-8, the encoding of modules and of nearly all builds. Literals of rules are ASCII in any case. */
export function decodeBody(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : new TextDecoder().decode(text)
}
