import { formatPartWas } from '../text/count.ts'
import type { UrlResolver } from '../text/url.ts'
import type { PageBodyInput } from './page-input.ts'
import type { PageBodies, PageBody } from './page-types.ts'
import { BODY_BOUNDS, type BodySelection, isSharedHost, MAX_BODY_BYTES } from './select-bodies.ts'

/** The beginning of an HTML document, which servers also send for files that do not exist. */
const HTML_START = /^\s*<(?!!--)/
const NAMES = { script: 'script', style: 'style sheet' } as const

interface Reading {
  readonly kind: 'script' | 'style'
  readonly selection: BodySelection
  readonly resolver: UrlResolver
  readonly warnings: string[]
}

/** A given body with its resolved URL. */
type Given = PageBody & { readonly isCut: boolean }

/**
 * Reads the given scripts or style sheets of a page, in the order and within the bounds of `selectBodies`. Those that the page
 * does not link follow the others: another script may have loaded them.
 * @returns null if they were not looked at
 */
export function readBodies(given: readonly PageBodyInput[] | null | undefined, reading: Reading): PageBodies | null {
  if (given === null || given === undefined) return null
  const { kind, selection, warnings } = reading
  const { count, totalBytes } = BODY_BOUNDS[kind]
  const wanted = orderBodies(given, reading)
  const present = wanted.filter((body) => body !== null && !HTML_START.test(body.text.slice(0, 100))) as Given[]
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
  if (missing > 0) warnings.push(`${formatPartWas(missing, form)} not read`)
  if (cuts > 0) warnings.push(`${formatPartWas(cuts, form)} read only in part`)
  return { bodies, isComplete: missing === 0 && cuts === 0 }
}

/** Orders the given bodies: first those that are selected, with null for each that was not given, then those not linked. */
function orderBodies(given: readonly PageBodyInput[], { kind, selection, resolver }: Reading): (Given | null)[] {
  const byUrl = new Map<string, Given>()
  for (const { url: written, text, isCut = false } of given) {
    const url = resolver.resolve(written)
    if (url !== null && !byUrl.has(url.href)) byUrl.set(url.href, { url, text: decodeBody(text), isCut })
  }
  const linked = selection.selected[kind].map(({ url }) => byUrl.get(url.href) ?? null)
  const others = [...byUrl.values()].filter(({ url }) => !selection.linked.has(url.href) && !isSharedHost(url.host))
  return [...linked, ...others]
}

/** Decodes UTF-8, the encoding of modules and of nearly all builds. Literals of rules are ASCII in any case. */
function decodeBody(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : new TextDecoder().decode(text)
}
