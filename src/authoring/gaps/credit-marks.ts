import { getDomain } from 'tldts'
import { readAttribute } from '../../engine/page/element.ts'
import type { Page, UrlUse } from '../../engine/page/page-types.ts'
import { collapse, squeeze } from '../../engine/text/text.ts'
import { trimEnd } from '../common-words/trim.ts'
import type { Explainer } from './explainer.ts'
import type { Mark } from './mark.ts'

/** What precedes the name of a product that a page was made with, in several languages. */
const ENGLISH =
  '(?:made|built|created|crafted|designed|developed|optimized|generated) (?:with|using)|(?:powered|generated|hosted) by|(?:built|running|runs|based) on'
const GERMAN = '(?:erstellt|gemacht|gebaut) mit'
const FRENCH = '(?:cr[ée]é|fait|r[ée]alis[ée]) avec|propuls[ée] par'
const SPANISH = '(?:hecho|creado|desarrollado) con|desarrollado por'
const PORTUGUESE = '(?:criado|feito|desenvolvido) com|desenvolvido por'
const ITALIAN = '(?:creato|realizzato) con'
const DUTCH = '(?:gemaakt|gebouwd) met'
const RUSSIAN = '(?:сделано|создано?|работает) (?:на|в)'
const LEAD = `${ENGLISH}|${GERMAN}|${FRENCH}|${SPANISH}|${PORTUGUESE}|${ITALIAN}|${DUTCH}|${RUSSIAN}`
/** A word of a name: a capital, a digit or a dot tells it from the words of a sentence. */
const WORD =
  "(?:[\\p{Lu}\\p{Lo}][\\p{L}\\p{N}.+&'-]{1,24}|[a-z]{1,20}[0-9.][a-z0-9.]{1,20}|[0-9]{1,3}[\\p{L}][\\p{L}\\p{N}]{1,20})"
const CREDIT = new RegExp(`(?<![\\p{L}])(${LEAD}):? (?:the )?(${WORD}(?: ${WORD}){0,2})`, 'giu')
/** The case of the name counts, that of what precedes it does not. */
const NAME = new RegExp(`^${WORD}`, 'u')
/** Words that begin a name in sentences about anything: `Made with Love`, `Powered by AI`. */
const ORDINARY =
  /^(?:love|passion|pride|care|ai|the|our|us|a|an|in|by|and|you|your|we|this|that|all|data|people|google|facebook|twitter)$/i
/** Attributes that describe a badge. */
const BADGE_ATTRIBUTES = ['alt', 'title', 'aria-label']
const MAX_LABEL = 120
/** Characters at both ends of the visible text that are searched: credits are in the header and in the footer. */
const HEAD = 2000
const FOOT = 8000
const MAX_CREDITS = 20
const MAX_COMMENT = 400

/** Reads sentences such as `Made with Acme` from the text, badges and comments, with the domain that the name links to. */
export function readCredits(page: Page, explainer: Explainer): Mark[] {
  const marks = new Map<string, Mark>()
  const add = (text: string, places: readonly string[]): void => {
    for (const { lead, name, at } of findCredits(text)) {
      if (marks.size >= MAX_CREDITS) return
      const key = name.toLowerCase()
      const link = findAnchor(page, name)
      const shown = link === undefined ? `${lead} ${name}` : `${lead} ${name} (${nameDomain(link)})`
      const around = text.slice(Math.max(0, at - 40), at + lead.length + name.length + 40)
      const isExplained =
        explainer.explains(places, { name: '', text: around }) ||
        (link !== undefined &&
          explainer.explains(['anchor'], { name: '', text: link.url.href, url: link.url, at: link.at }))
      const known = marks.get(key)
      if (known === undefined || (isExplained && !known.isExplained))
        marks.set(key, { kind: 'credit', key, shown, isExplained })
    }
  }
  const { text } = page
  const ends = text.length <= HEAD + FOOT ? [text] : [text.slice(0, HEAD), text.slice(-FOOT)]
  for (const end of ends) add(end, ['text', 'label', 'html'])
  for (const label of listLabels(page)) add(label, ['text', 'label', 'html'])
  for (const comment of page.comments.slice(0, 200)) add(collapse(comment.slice(0, MAX_COMMENT)), ['comment', 'html'])
  return [...marks.values()]
}

interface Credit {
  readonly lead: string
  readonly name: string
  /** Position of the sentence. */
  readonly at: number
}

function* findCredits(text: string): Generator<Credit> {
  for (const { 1: lead, 2: found, index } of text.matchAll(CREDIT)) {
    // A search that ignores case takes any word for a name.
    const words = found.split(' ')
    const last = words.findIndex((word, i) => /[.,]$/.test(word) || !NAME.test(words[i + 1] ?? ''))
    const name = NAME.test(words[0]) ? trimEnd(words.slice(0, last + 1).join(' '), '.,&+-') : ''
    if (name.length > 1 && !ORDINARY.test(words[0])) yield { lead, name, at: index }
  }
}

function* listLabels({ tape }: Page): Generator<string> {
  for (let at = 0; at < tape.tags.length; at++) {
    const tag = tape.tags[at]
    if (tag !== 'a' && tag !== 'img' && tag !== 'svg' && tag !== 'iframe') continue
    for (const name of BADGE_ATTRIBUTES) {
      const text = readAttribute(tape, at, name)
      if (text !== undefined && text.length <= MAX_LABEL) yield collapse(text)
    }
  }
}

/** Finds a link to another site whose domain is named like the product. */
function findAnchor({ urls }: Page, name: string): UrlUse | undefined {
  const squeezed = squeeze(name)
  return urls.find(({ kind, url }) => {
    if (kind !== 'anchor' || url.own !== false) return false
    const label = url.host.replaceAll(/[.-]/g, '')
    return squeezed.length > 1 && label.includes(squeezed)
  })
}

function nameDomain({ url }: UrlUse): string {
  return getDomain(url.host) ?? url.host
}
