import { splitParts, splitTokens } from '../../src/authoring/common-words/tokens.ts'
import { readText } from '../../src/engine/page/element.ts'
import type { Page, UrlUse } from '../../src/engine/page/page-types.ts'

/** Section of the table → word → how often the page contains it. */
export type CountedWords = ReadonlyMap<string, ReadonlyMap<string, number>>
/** Section of the table → tokens of the texts of a page, each of which is searched for phrases. */
export type PageTexts = ReadonlyMap<string, readonly (readonly string[])[]>

/** Attributes whose values are texts for readers, addresses, or code: only their parts are counted. */
const LONG_VALUES = /^(?:class|id|style|href|src|srcset|content|alt|title|d|points|on.*|action|value|sizes|.*-label)$/
/** Attributes whose values have parts that clauses look for; the others are texts, or data of scripts. */
const PARTED = /^(?!on|data-|aria-|(?:d|style|alt|title|content|value|placeholder|srcset|sizes|imagesrcset)$)/
const MAX_VALUE_CHARACTERS = 40
const MAX_PARTS = 12
/** Texts are cut: what many sites have is at the beginning and, in a footer, at the end. */
const MAX_TOKENS = 6000
const MAX_DEPTH = 3
const MAX_CODE_CHARACTERS = 200_000
const MAX_LABEL_CHARACTERS = 40

class WordCount {
  readonly sections = new Map<string, Map<string, number>>()

  add(section: string, word: string, count = 1): void {
    const words = this.sections.get(section) ?? new Map<string, number>()
    this.sections.set(section, words)
    words.set(word, (words.get(word) ?? 0) + count)
  }
}

/** Reads the words of a page that clauses could name, except phrases. */
export function readPageWords(page: Page): CountedWords {
  const count = new WordCount()
  for (let at = 0; at < page.tape.tags.length; at++) addElement(page, at, count)
  for (const use of new Map(page.urls.map((use) => [`${use.kind} ${use.url.href}`, use])).values()) addUrl(use, count)
  for (const { rel } of page.urls) for (const name of rel) addName('link', name, count)
  if (page.url !== null) addLocators('url', page.url.host, page.url.path, count)
  for (const [name, value] of page.headers ?? []) addHeader(name, value, count)
  for (const node of page.jsonld) addNode(node, count, 0)
  for (const text of page.styles) addBeginnings('style', text, count)
  for (const text of page.scripts) addBeginnings('inline', text, count)
  return count.sections
}

function addElement({ tape }: Page, at: number, count: WordCount): void {
  const tag = tape.tags[at]
  count.add('tag', tag)
  const attributes = new Map<string, string>()
  for (let k = tape.attributes[at]; k < tape.attributes[at + 1]; k++)
    attributes.set(tape.names[k], tape.values[k].trim())
  for (const [name, value] of attributes) {
    count.add('attr', name)
    if (name === 'class') for (const one of new Set(value.toLowerCase().split(/\s+/))) count.add('class', one)
    else if (name === 'id') count.add('id', value.toLowerCase())
    else if (!LONG_VALUES.test(name) && value.length <= MAX_VALUE_CHARACTERS)
      count.add('value', `${name}=${value.toLowerCase()}`)
    if (PARTED.test(name))
      for (const part of new Set(splitParts(value.slice(0, 400)).slice(0, MAX_PARTS)))
        count.add('part', `${name}~${part}`)
  }
  if (tag === 'meta') addMeta(attributes, count)
  if (tag === 'a' || tag === 'button') addLabel(tape, at, count)
}

function addMeta(attributes: ReadonlyMap<string, string>, count: WordCount): void {
  const value = attributes.get('content')
  if (value === undefined) return
  for (const key of ['name', 'property', 'itemprop']) {
    const name = attributes.get(key)?.toLowerCase()
    if (!name) continue
    addName('meta', name, count)
    addValue('meta', name, value, count)
  }
}

function addHeader(name: string, value: string, count: WordCount): void {
  addName('header', name, count)
  if (name === 'set-cookie') {
    const cookie = value.split('=', 1)[0].trim().toLowerCase()
    if (cookie !== '') addName('cookie', cookie, count)
  } else addValue('header', name, value, count)
}

/** Counts the beginnings of names in code up to each separator: `--primary*` of `--primary-color`. */
function addBeginnings(section: string, code: string, count: WordCount): void {
  const names = new Set(code.slice(0, MAX_CODE_CHARACTERS).match(/[\w$-]+/g) ?? [])
  const beginnings = [...names]
    .filter((name) => name.length <= MAX_VALUE_CHARACTERS)
    .flatMap((name) =>
      [...name.matchAll(/(?<=[a-z0-9])[-_]/gi)].map(({ index }) => `${name.slice(0, index).toLowerCase()}*`),
    )
  for (const beginning of new Set(beginnings)) count.add(section, beginning)
}

/** Counts a name, and its beginnings up to each separator, as `og:*`. */
function addName(section: string, name: string, count: WordCount): void {
  count.add(section, name.toLowerCase())
  for (const { index } of name.matchAll(/(?<=[\w])[-_:.]/g))
    count.add(section, `${name.slice(0, index + 1).toLowerCase()}*`)
}

function addValue(section: string, name: string, value: string, count: WordCount): void {
  const text = value.toLowerCase()
  if (text.length <= 2 * MAX_VALUE_CHARACTERS) count.add(`${section}-value`, `${name}=${text}`)
  for (const part of new Set(splitTokens(text.slice(0, 400)).slice(0, 2 * MAX_PARTS)))
    count.add(`${section}-part`, `${name}~${part}`)
}

function addLabel({ texts, textFrom, textTo }: Page['tape'], at: number, count: WordCount): void {
  if (textTo[at] - textFrom[at] > MAX_PARTS) return
  const label = texts.slice(textFrom[at], textTo[at]).join('').replace(/\s+/g, ' ').trim().toLowerCase()
  if (label !== '' && label.length <= MAX_LABEL_CHARACTERS) count.add('label', label)
}

function addUrl({ kind, url }: UrlUse, count: WordCount): void {
  addLocators(kind === 'link' ? 'link-url' : kind, url.own === true ? '' : url.host, url.path, count)
}

/** Counts the locators that cover a URL: hosts, the domains above them, and runs of at most three segments. */
function addLocators(section: string, host: string, path: string, count: WordCount): void {
  const words = new Set<string>()
  const segments = path
    .toLowerCase()
    .split('/')
    .slice(1)
    .filter((one) => one !== '' && one.length <= 60)
    .slice(0, 8)
  for (let from = 0; from < segments.length; from++)
    for (let to = from + 1; to <= Math.min(from + MAX_DEPTH, segments.length); to++) {
      const run = `/${segments.slice(from, to).join('/')}`
      words.add(run)
      addRunBeginnings(run, segments[to - 1], words)
    }
  if (host !== '') {
    const labels = host.split('.')
    words.add(`${labels[0]}.*`)
    const hosts = [host, ...labels.slice(1, -1).map((_, i) => `.${labels.slice(i + 1).join('.')}`)]
    for (const one of hosts)
      for (let to = 0; to <= Math.min(2, segments.length); to++) words.add([one, ...segments.slice(0, to)].join('/'))
  }
  for (const word of words) count.add(section, word)
}

/** Adds the beginnings of the last segment of a run, up to each separator: `/main-*` of `/main-4a1.js`. */
function addRunBeginnings(run: string, last: string, words: Set<string>): void {
  const start = run.length - last.length
  for (const { index } of last.matchAll(/(?<=[a-z])[-._@]|(?<=[a-z])(?=\d)/g))
    words.add(`${run.slice(0, start + index)}*`)
}

function addNode(data: unknown, count: WordCount, depth: number): void {
  if (depth > 8 || typeof data !== 'object' || data === null) return
  if (Array.isArray(data)) {
    for (const item of data) addNode(item, count, depth + 1)
    return
  }
  const node = data as Readonly<Record<string, unknown>>
  for (const type of [node['@type']].flat())
    if (typeof type === 'string')
      addFields(
        node,
        type
          .trim()
          .replace(/^.*[/:#]/s, '')
          .toLowerCase(),
        count,
        0,
      )
  for (const value of Object.values(node)) addNode(value, count, depth + 1)
}

function addFields(data: unknown, path: string, count: WordCount, depth: number): void {
  count.add('jsonld', path)
  if (depth >= MAX_DEPTH || typeof data !== 'object' || data === null) return
  for (const item of [data].flat())
    for (const [field, inner] of Object.entries(item as object))
      for (const one of [inner].flat()) addFields(one, `${path}.${field.toLowerCase()}`, count, depth + 1)
}

/** Reads the texts of a page as tokens, in which phrases are counted. */
export function readPageTexts(page: Page): PageTexts {
  return new Map<string, readonly (readonly string[])[]>([
    ['text', [cut(splitTokens(page.text)), ...readHints(page)]],
    ['title', page.title === null ? [] : [splitTokens(page.title)]],
    ['inline', page.scripts.map((one) => cut(splitTokens(one.slice(0, MAX_CODE_CHARACTERS))))],
    ['style', page.styles.map((one) => cut(splitTokens(one.slice(0, MAX_CODE_CHARACTERS))))],
    ['comment', page.comments.map((one) => cut(splitTokens(one.slice(0, 2000))))],
    ['html', readTags(page)],
  ])
}

function cut(tokens: readonly string[]): readonly string[] {
  return tokens.length <= 2 * MAX_TOKENS ? tokens : [...tokens.slice(0, MAX_TOKENS), ...tokens.slice(-MAX_TOKENS)]
}

/** Reads what a page says to browsers without scripts, which is not a part of its visible text. */
function readHints({ tape }: Page): string[][] {
  return tape.tags.flatMap((tag, at) => (tag === 'noscript' ? [splitTokens(readText(tape, at, 500))] : []))
}

/** Reads the tags of a page as tokens: tag, and its attributes with the beginnings of their values. */
function readTags({ tape }: Page): string[][] {
  return tape.tags.map((tag, at) => {
    const tokens = [tag]
    for (let k = tape.attributes[at]; k < tape.attributes[at + 1]; k++)
      tokens.push(tape.names[k], ...splitTokens(tape.values[k].slice(0, 200)).slice(0, MAX_PARTS))
    return tokens
  })
}
