import { RegExpParser } from '@eslint-community/regexpp'
import { checkLocator } from '../../rules/checks/word-checks.ts'

const parser = new RegExpParser({ ecmaVersion: 2025 })

/** A place that says what a pattern means better than the pattern itself. */
export interface BetterPlace {
  readonly place: 'comment' | 'title' | 'element'
  /** The selector, for an element. */
  readonly word?: string
  readonly attr?: string
  /** What the pattern asks of the value; '' if the element alone is enough. */
  readonly source: string
}

/** Anything inside of a tag, as patterns write it. */
const INSIDE = String.raw`(?:(?:\[\^[^\]]*\]|\.|\\s)(?:[*+]|\{\d*,?\d*\})\??| )`
const QUOTE = String.raw`(?:\\?["']|\[["']{1,2}\]|\(\?:"\|'\)|\(\?:'\|"\))`
const TAG = new RegExp(`^<([a-z][a-z0-9-]*)(?:${INSIDE}>?|>)?$`)
const ATTRIBUTE = new RegExp(
  `^<([a-z][a-z0-9-]*)${INSIDE}+([a-z][a-z0-9:_-]*)=(?:${QUOTE}|(?=\\[\\^[^\\]]*\\][*+]))(.+?)(${QUOTE})?$`,
)
/** A pattern about a tag that does not name the attribute, and the attribute that such a tag has its URL in. */
const UNNAMED = new RegExp(`^<(link|a|script|img|iframe|embed|form)${INSIDE}+(.+)$`)
const URL_ATTRIBUTES: Readonly<Record<string, string>> = {
  link: 'href',
  a: 'href',
  script: 'src',
  img: 'src',
  iframe: 'src',
  embed: 'src',
  form: 'action',
}

/**
 * Finds the place of a pattern about the source of a page: a comment, the title, an element or its attribute. Such a clause does not
 * hold on a page that only quotes the markup.
 * @returns null if the pattern is about something else
 */
export function findBetterPlace(source: string): BetterPlace | null {
  const comment = /^<!--(?:\\s[*+]?| ){0,9}(.*)$/s.exec(source.replace(/(?:\\s[*+]?| ){0,9}-->$/, ''))
  if (comment && !/--|<|^\^|^$/.test(comment[1]) && isSequence(comment[1]))
    return { place: 'comment', source: comment[1] }
  const title = /^<title>([^<|]+)(<\/title>|<\\\/title>)?$/.exec(source)
  if (title) return { place: 'title', source: `^${title[1]}${title[2] === undefined ? '' : '$'}` }
  const tag = TAG.exec(source)
  if (tag) return tag[1].includes('-') ? { place: 'element', word: tag[1], source: '' } : null
  const attribute = ATTRIBUTE.exec(source)
  if (attribute) {
    const [, name, attr, value, end] = attribute
    const anchored = `${isAnything(value) ? '' : '^'}${value}${end === undefined ? '' : '$'}`
    return isInside(value) ? { place: 'element', word: `${name}[${attr}]`, attr, source: anchored } : null
  }
  const [, name, value] = UNNAMED.exec(source) ?? []
  if (name === undefined || !isInside(value) || value.includes('=') || !/[/.]|css|js/.test(value)) return null
  const attr = URL_ATTRIBUTES[name]
  return { place: 'element', word: `${name}[${attr}]`, attr, source: value }
}

/** Whether a part of a pattern stays inside of one value: it has no quotes, spaces or brackets, except to exclude them. */
function isInside(value: string): boolean {
  const bare = value.replace(/\[\^[^\]]{0,99}\]/g, '').replace(/\((?:\?[:=!]|\?<[=!])/g, '(')
  return !/[<>"' ]/.test(bare.replace(/\\[^"'<> ]/g, '')) && isSequence(value)
}

/** Whether a part of a pattern is a valid pattern without alternatives, except in groups. */
function isSequence(source: string): boolean {
  try {
    return parser.parsePattern(source).alternatives.length === 1
  } catch {
    return false
  }
}

/** Whether the value of an attribute may begin with anything. */
function isAnything(value: string): boolean {
  return /^(?:\[\^[^\]]*\]|\.)[*+]/.test(value)
}

const HOST = String.raw`[a-z0-9-]+(?:\\\.[a-z0-9-]+)+`
const PATH = String.raw`(?:\\?\/(?:[\w~,;:@%&=-]|\\[.\-+])*)*`
const ADDRESS = new RegExp(
  `^(\\^?(?:https\\??:|https\\?:\\?|\\(\\?:https\\?:\\)\\?)?\\\\?/\\\\?/|\\\\\\.)(${HOST})(${PATH})$`,
  'i',
)

/**
 * Finds the locator that means the same as a pattern about URLs: `cdn.acme.com/widget*` for `//cdn\.acme\.com/widget`, and
 * `.acme.com` for `\.acme\.com`.
 * @returns null if there is none
 */
export function findLocator(source: string): string | null {
  const [, start, host, path] = ADDRESS.exec(source) ?? []
  if (start === undefined) return null
  const text = (path ?? '').replace(/\\(.)/g, '$1')
  const below = start.startsWith('\\.') ? '.' : ''
  const open = text === '' || text === '/' ? '' : text.endsWith('/') ? text : `${text}*`
  const locator = `${below}${host.replace(/\\/g, '').toLowerCase()}${open}`
  return checkLocator(locator) === null ? locator : null
}
