import { readAttribute } from '../../engine/page/element.ts'
import type { Page } from '../../engine/page/page-types.ts'
import type { Trait, WordFilter } from './trait.ts'

/** Meta tags whose content names a product. */
const PRODUCT_METAS = ['generator', 'application-name', 'powered-by', 'x-generator', 'builder', 'platform', 'cms']
/** Beginnings of meta tags that any product writes. */
const COMMON_METAS =
  /^(?:og|twitter|fb|article|product|al|dc|dcterms|geo|apple|msapplication|google|theme|format|mobile|msvalidate|yandex|viewport|robots|p|citation|ico|location|weibo|baidu|next-head)\b/i
/** Words up to the version: `WordPress 6.6`, `Acme Site Builder v2.1`. */
const PRODUCT = /^([a-z][a-z.!+]{1,30}(?: [a-z][a-z.!+]{1,30}){0,2})(?:( v?)([0-9][0-9.]{0,15}))?(?![a-z])/i
/** A name that can be written in a selector without escapes. */
const SELECTOR_NAME = /^[a-z_][a-z0-9_-]{2,60}$/i
const MAX_COMMENT_LENGTH = 60

/** A product name, and the version after it. */
interface NamedProduct {
  readonly name: string
  readonly separator: string
  readonly version: string | null
  /** Whether the text contains nothing else. */
  readonly isWhole: boolean
}

/** Reads a product name at the beginning of a text; null if there is none. */
export function readProduct(text: string): NamedProduct | null {
  const [whole, name, separator = '', version = null] = PRODUCT.exec(text.trim()) ?? []
  return name === undefined ? null : { name, separator, version, isWhole: whole === text.trim() }
}

/** Reads the products that meta tags name. */
export function readMetaProducts({ tape }: Page): { readonly meta: string; readonly product: NamedProduct }[] {
  return tape.tags.flatMap((tag, at) => {
    const meta = tag === 'meta' ? (readAttribute(tape, at, 'name') ?? '').trim().toLowerCase() : ''
    const product = PRODUCT_METAS.includes(meta) ? readProduct(readAttribute(tape, at, 'content') ?? '') : null
    return product === null ? [] : [{ meta, product }]
  })
}

/** Finds unusual meta tags, elements, attributes and comments. */
export function findMarkupTraits(page: Page, filter: WordFilter): Trait[] {
  return [...findMetas(page, filter), ...findElements(page, filter), ...findComments(page, filter)]
}

function findMetas(page: Page, filter: WordFilter): Trait[] {
  const products = readMetaProducts(page)
    .filter(({ meta, product }) => meta === 'generator' || filter.isOfVendor(product.name))
    .map(({ meta, product }) => buildProductTrait(meta, product))
  const names = page.tape.tags.flatMap((tag, at) => {
    const name = tag === 'meta' ? (readAttribute(page.tape, at, 'name') ?? '').trim() : ''
    const isPlain = /^[a-z][\w:.-]{2,60}$/i.test(name) && !COMMON_METAS.test(name)
    return isPlain && !PRODUCT_METAS.includes(name.toLowerCase()) && filter.isName(name) ? [name] : []
  })
  const others = names.map((name) => ({
    clause: { meta: name },
    name,
    shown: { head: `<meta name="${name}" content="1">` },
  }))
  return [...products, ...others]
}

function buildProductTrait(meta: string, { name, separator, version, isWhole }: NamedProduct): Trait {
  const escaped = name.replace(/[.+]/g, '\\$&')
  const clause =
    version !== null
      ? { meta, match: `^${escaped}(?:${separator}([\\d.]+))?`, version: 1 }
      : { meta, [isWhole ? 'is' : 'has']: name }
  const content = version === null ? name : `${name}${separator}${version}`
  return { clause, name, shown: { head: `<meta name="${meta}" content="${content}">` } }
}

function findElements({ tape }: Page, filter: WordFilter): Trait[] {
  const shown = new Map<string, { name: string; body: string }>()
  const add = (selector: string, name: string, body: string): void => {
    if (SELECTOR_NAME.test(name) && filter.isName(name)) shown.set(selector, { name, body })
  }
  for (let at = 0; at < tape.tags.length; at++) {
    const tag = tape.tags[at]
    if (tag.includes('-')) add(tag, tag, `<${tag}></${tag}>`)
    for (let k = tape.attributes[at]; k < tape.attributes[at + 1]; k++) {
      const [name, value] = [tape.names[k], tape.values[k]]
      if (name === 'id' && filter.isOfVendor(value)) add(`#${value}`, value, `<div id="${value}"></div>`)
      else if (name === 'class')
        for (const one of value.split(/\s+/).filter((word) => filter.isOfVendor(word) && filter.isKnown(word)))
          add(`.${one}`, one, `<div class="${one}"></div>`)
      else if (name.startsWith('data-') || (filter.isOfVendor(name) && !name.startsWith('on')))
        add(`[${name}]`, name, `<div ${name}="1"></div>`)
    }
  }
  return [...shown].map(([element, { name, body }]) => ({ clause: { element }, name, shown: { body } }))
}

/** Finds comments that name the product, up to the first word that may belong to the owner of the page. */
function findComments({ comments }: Page, filter: WordFilter): Trait[] {
  return comments.flatMap((comment) => {
    const line = comment.trim().split('\n', 1)[0].slice(0, MAX_COMMENT_LENGTH)
    const literal = cutToKnown(line, filter)
    if (literal.length < 6 || !filter.isOfVendor(literal) || literal.includes('--')) return []
    return [{ clause: { comment: literal }, name: literal, shown: { body: `<!-- ${literal} -->` } }]
  })
}

/** Cuts a text after its last known word, so that what follows it is removed with the rest of the line. */
export function cutToKnown(text: string, { isKnown }: WordFilter): string {
  const words = text.split(' ')
  const end = words.findIndex((word) => !isKnown(word) || /[<>"&\\]/.test(word))
  return words
    .slice(0, end < 0 ? undefined : end)
    .join(' ')
    .trim()
}
