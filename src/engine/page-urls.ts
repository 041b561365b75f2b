import { attributeOf } from './selector.ts'
import type { Tape, UrlKind, UrlUse } from './types.ts'
import type { UrlResolver } from './url.ts'

const LOADING_RELS = new Set(
  'stylesheet preload modulepreload icon apple-touch-icon apple-touch-icon-precomposed mask-icon manifest'.split(' '),
)
const FRAMES = new Map([
  ['iframe', 'src'],
  ['frame', 'src'],
  ['embed', 'src'],
  ['object', 'data'],
])
// Attributes that name one URL, or several, of something the page loads.
const ONE = new Set(['src', 'poster', 'data-src', 'background'])
const SEVERAL = new Set(['srcset', 'data-srcset', 'imagesrcset'])
const CSS_URL = /url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')/gi

/** Every URL of a page that some place looks at, in document order. */
export function collectUrls(tape: Tape, resolver: UrlResolver): UrlUse[] {
  const uses: UrlUse[] = []
  for (let at = 0; at < tape.tags.length; at++) {
    const add = (kind: UrlKind, written: string, rel: readonly string[] = []): void => {
      const url = resolver.resolve(written)
      if (url !== null) uses.push({ kind, rel, url, at })
    }
    const tag = tape.tags[at]
    if (tag === 'style') for (const written of cssUrls(tape.text.slice(tape.textFrom[at], tape.textTo[at]))) add('asset', written)
    for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++) {
      const name = tape.names[k]
      const value = tape.values[k]
      if (name === 'href') collectHref(tape, at, value, add)
      else if (FRAMES.has(tag)) {
        if (FRAMES.get(tag) === name || name === 'data-src') add('frame', value)
      } else if (ONE.has(name)) {
        if (tag === 'script' && name === 'src') add('script', value)
        add('asset', value)
      } else if (SEVERAL.has(name)) for (const written of srcsetUrls(value)) add('asset', written)
      else if (name === 'style') for (const written of cssUrls(value)) add('asset', written)
    }
  }
  return uses
}

function collectHref(tape: Tape, at: number, value: string, add: (kind: UrlKind, written: string, rel?: readonly string[]) => void): void {
  const tag = tape.tags[at]
  if (tag === 'a' || tag === 'area') add('anchor', value)
  if (tag !== 'link') return
  const rel = (attributeOf(tape, at, 'rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  add('link', value, rel)
  if (rel.some((token) => LOADING_RELS.has(token))) add('asset', value)
}

/** Candidates of a srcset: a URL holds no white space, and ends at a comma only before white space (HTML standard). */
function srcsetUrls(srcset: string): string[] {
  return [...srcset.matchAll(/(?:^|,|\s)\s*(\S*[^\s,])/g)].map((m) => m[1]).filter((text) => !/^[\d.]+[wxh]$/.test(text))
}

function* cssUrls(css: string): Generator<string> {
  if (!/url\(|@import/i.test(css)) return
  for (const [, a, b, c, d, e] of css.matchAll(CSS_URL)) yield a ?? b ?? c ?? d ?? e
}
