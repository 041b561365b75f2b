import type { Page } from '../../engine/page/page-types.ts'
import { cutToKnown } from './markup-traits.ts'
import type { Trait, WordFilter } from './trait.ts'

/** Maximum number of characters of inline code that are searched. */
const MAX_CODE_LENGTH = 512 * 1024
/** A global variable that is assigned. */
const GLOBAL = /(?<![\w$.])(?:window|self|globalThis)\.([A-Za-z_$][\w$]{3,60})\s{0,3}=(?!=)/g
/** The first line of a comment that minifiers keep, usually a licence: `/*! Acme v1.2`. */
const BANNER = /\/\*! ?([^\n*]{4,80})/g
/** A custom property of CSS: `--acme-color`. */
const PROPERTY = /(?<![\w-])(--[a-z][a-z0-9]{2,30}-)[a-z]/g
/** Fewer properties with the same beginning may be those of one site. */
const MIN_PROPERTIES = 3

/** Finds global variables, licences and custom properties in inline scripts and style sheets. */
export function findCodeTraits({ scripts, styles }: Page, filter: WordFilter): Trait[] {
  const script = scripts.join('\n').slice(0, MAX_CODE_LENGTH)
  const style = styles.join('\n').slice(0, MAX_CODE_LENGTH)
  return [
    ...findGlobals(script, filter),
    ...findBanners(script, 'inline', filter),
    ...findBanners(style, 'style', filter),
    ...findProperties(style, filter),
  ]
}

function findGlobals(script: string, filter: WordFilter): Trait[] {
  return [...script.matchAll(GLOBAL)]
    .map(([, name]) => name)
    .filter((name) => filter.isName(name))
    .map((name) => ({
      clause: { inline: `window.${name}` },
      name,
      shown: { head: `<script>window.${name} = {}</script>` },
    }))
}

function findBanners(code: string, place: 'inline' | 'style', filter: WordFilter): Trait[] {
  return [...code.matchAll(BANNER)].flatMap(([whole, text]) => {
    const known = cutToKnown(text.split(/ v?[0-9]/, 1)[0], filter) // The text without the version.
    if (known.length < 4 || !filter.isOfVendor(known)) return []
    const literal = `${whole.startsWith('/*! ') ? '/*! ' : '/*!'}${known}`
    const tag = place === 'style' ? 'style' : 'script'
    return [{ clause: { [place]: literal }, name: known, shown: { head: `<${tag}>${literal} */</${tag}>` } }]
  })
}

function findProperties(style: string, filter: WordFilter): Trait[] {
  const counts = new Map<string, number>()
  for (const [, prefix] of style.matchAll(PROPERTY)) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
  return [...counts]
    .filter(([prefix, count]) => count >= MIN_PROPERTIES && filter.isName(prefix.slice(2, -1)))
    .map(([prefix]) => ({
      clause: { style: prefix },
      name: prefix.slice(2, -1),
      shown: { head: `<style>:root { ${prefix}color: #234 }</style>` },
    }))
}
