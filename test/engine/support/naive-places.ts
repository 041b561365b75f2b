import { getPublicSuffix } from 'tldts'
import { extension } from '../../../plugins/extension.ts'
import { file } from '../../../plugins/file.ts'
import { network } from '../../../plugins/network.ts'
import { npm } from '../../../plugins/npm.ts'
import type { Detector, Wanted } from '../../../src/engine/page/detector.ts'
import type { Page, PageTag, Tape } from '../../../src/engine/page/page-types.ts'
import type { Family } from '../../../src/engine/rule/place.ts'
import { readAttribute } from './naive-words.ts'

/** One value of a page, with everything that tests can examine. */
export interface NaiveValue {
  /** Its name (header, record or field of a type), or the value itself for places whose words are values. */
  readonly name: string
  readonly text: () => string
  readonly url?: { readonly href: string; readonly host: string; readonly path: string; readonly own: boolean | null }
  readonly at?: number
  readonly amount?: number
  /** The tag container that adds the value to the page, and whether it does so under a condition. */
  readonly through?: string
  readonly isConditional?: boolean
}

type Reading = 'name' | 'value' | 'locator' | 'literal' | 'selector' | 'path'

/** A place as documented: its kind of word, its family, when it was seen, and its values. */
export interface NaivePlace {
  readonly family: Family
  readonly reading: Reading
  readonly seen: (page: Page, word: string) => boolean
  readonly values: (page: Page, settled: readonly string[]) => NaiveValue[]
  /** Characters to each side of a literal that tests see; absent: the whole text. */
  readonly window?: number
  /** The case of words counts without being asked for. */
  readonly isExact?: boolean
  /** Only files of the site count without being asked for. */
  readonly isOwn?: boolean
}

const always = (): boolean => true
const plain = (name: string, text: string): NaiveValue => ({ name, text: () => text })
const texts = (list: readonly (string | null)[]): NaiveValue[] =>
  list.flatMap((text) => (text === null ? [] : [plain('', text)]))

const origin = ({ through, isConditional }: PageTag): Pick<NaiveValue, 'through' | 'isConditional'> => ({
  through,
  isConditional,
})

function urls(kind: string, family: Family): NaivePlace {
  return {
    family,
    reading: 'locator',
    seen: always,
    values: (page) => [
      ...page.urls.flatMap((use) =>
        use.kind === kind ? [{ name: '', text: () => use.url.href, url: use.url, at: use.at }] : [],
      ),
      ...(page.tags ?? []).flatMap(({ urls, through, isConditional }) =>
        urls.flatMap((use) =>
          use.kind === kind ? [{ name: '', text: () => use.url.href, url: use.url, through, isConditional }] : [],
        ),
      ),
    ],
  }
}

const literal = (
  family: Family,
  values: (page: Page) => readonly (string | null)[],
  seen = always as NaivePlace['seen'],
): NaivePlace => ({
  family,
  reading: 'literal',
  seen,
  values: (page) => texts(values(page)),
})

const body = (of: (page: Page) => Page['bundles']): NaivePlace => ({
  family: 'code',
  reading: 'literal',
  window: 200,
  seen: (page) => of(page)?.isComplete ?? false,
  values: (page) => of(page)?.bodies.map(({ url, text }) => ({ name: '', text: () => text, url })) ?? [],
})

const number = (family: Family, of: (page: Page) => number | null): NaivePlace => ({
  family,
  reading: 'value',
  seen: (page) => of(page) !== null,
  values: (page) => (of(page) === null ? [] : [plain(String(of(page)), String(of(page)))]),
})

const EVERY_WORD: Wanted = { has: () => true, selectors: () => [] }

/**
 * A place whose values the plugin lists itself, for every word: how it reads names from addresses has tables of its own. What is
 * compared is how the engine finds the rules of a name, and what counts as a hit.
 */
const listed = ({ family, read, seen = always, from }: Detector): NaivePlace => ({
  family,
  isOwn: from === 'own',
  reading: 'value',
  seen,
  values: (page) =>
    [...read(page, EVERY_WORD)].map(({ name, text = '', url, at }) => ({
      name,
      text: () => text,
      url: url as NaiveValue['url'],
      at,
    })),
})

/** All places of the table in the documentation. */
export const PLACES: Readonly<Record<string, NaivePlace>> = {
  url: {
    family: 'address',
    reading: 'locator',
    seen: ({ url }) => url !== null,
    values: ({ url }) => (url === null ? [] : [{ name: '', text: () => url.href, url }]),
  },
  suffix: {
    family: 'address',
    reading: 'value',
    seen: ({ url }) => url !== null,
    values: ({ url }) => {
      const labels = url === null ? [] : (getPublicSuffix(url.host) ?? '').split('.').filter(Boolean)
      return [...new Set(labels)].map((label) => plain(label, label))
    },
  },
  header: {
    family: 'response',
    reading: 'name',
    seen: ({ headers }) => headers !== null,
    values: ({ headers }) => (headers ?? []).map(([name, text]) => plain(name, text)),
  },
  cookie: { family: 'response', reading: 'name', seen: ({ headers }) => headers !== null, values: listCookies },
  status: number('response', ({ status }) => status),
  dns: {
    family: 'network',
    reading: 'name',
    seen: ({ dns }, word) => dns !== null && Object.keys(dns).includes(word.toLowerCase()),
    values: ({ dns }) =>
      Object.entries(dns ?? {}).flatMap(([name, records]) => records.map((text) => plain(name, text))),
  },
  tls: {
    family: 'network',
    reading: 'name',
    seen: ({ tls }) => tls !== null,
    values: ({ tls }) => {
      const issuer = tls?.issuer ? [plain('issuer', tls.issuer)] : []
      return [...issuer, ...(tls?.names ?? []).map((text) => plain('name', text))]
    },
  },
  network: listed(network),
  meta: { family: 'declared', reading: 'name', seen: always, values: listMetas },
  title: literal('declared', ({ title }) => [title]),
  jsonld: { family: 'declared', reading: 'path', seen: always, values: ({ jsonld }) => listNodes(jsonld) },
  script: urls('script', 'loaded'),
  asset: urls('asset', 'loaded'),
  frame: urls('frame', 'loaded'),
  npm: listed(npm),
  file: listed(file),
  extension: listed(extension),
  link: {
    family: 'loaded',
    reading: 'name',
    seen: always,
    values: (page) =>
      page.urls.flatMap(({ rel, url, at }) => rel.map((name) => ({ name, text: () => url.href, url, at }))),
  },
  element: {
    family: 'markup',
    reading: 'selector',
    seen: always,
    values: ({ tape }) => tape.tags.map((_, at) => element(tape, at)),
  },
  comment: literal('markup', ({ comments }) => comments),
  inline: {
    family: 'code',
    reading: 'literal',
    seen: always,
    values: ({ scripts, tags }) => [
      ...texts(scripts),
      ...(tags ?? []).flatMap((tag) => tag.scripts.map((text) => ({ ...plain('', text), ...origin(tag) }))),
    ],
  },
  tag: {
    family: 'loaded',
    reading: 'value',
    seen: ({ tags }) => tags !== null,
    values: ({ tags }) =>
      (tags ?? []).flatMap((tag) => tag.kinds.map((kind) => ({ ...plain(kind, kind), ...origin(tag) }))),
  },
  global: {
    family: 'code',
    reading: 'name',
    isExact: true,
    seen: ({ globals }) => globals !== null,
    values: ({ globals }) => (globals ?? []).map(([name, text]) => plain(name, text)),
  },
  style: literal('code', ({ styles }) => styles),
  bundle: body(({ bundles }) => bundles),
  stylesheet: body(({ stylesheets }) => stylesheets),
  robots: literal(
    'side',
    ({ robots }) => [robots],
    ({ robots }) => robots !== null,
  ),
  favicon: number('side', ({ favicon }) => favicon),
  anchor: urls('anchor', 'content'),
  label: { family: 'content', reading: 'value', seen: always, values: ({ tape }) => listLabels(tape) },
  text: literal('content', ({ text }) => [text]),
  html: literal('content', ({ html }) => [html]),
  size: {
    family: 'content',
    reading: 'name',
    seen: ({ url }, word) => url !== null || !['slug', 'digits'].includes(word),
    values: ({ text, words, tape, url, urls }) => {
      const outlinks = urls.filter((use) => use.kind === 'anchor' && use.url.own === false).length
      const amounts = { words, characters: text.length, outlinks, ...countTags(tape), ...countPath(url?.path) }
      return Object.entries(amounts).map(([name, amount]) => ({ ...plain(name, String(amount)), amount }))
    },
  },
  found: {
    family: 'found',
    reading: 'value',
    seen: always,
    values: (_, settled) => settled.map((slug) => plain(slug, slug)),
  },
}

/** Counts the words of the last segment of a path, and its digits. */
function countPath(path: string | undefined): Record<string, number> {
  if (path === undefined) return {}
  const last = path.match(/[^/]*\/?$/)?.[0] ?? ''
  return { slug: last.match(/[^-_/]+/g)?.length ?? 0, digits: path.match(/\d/g)?.length ?? 0 }
}

/** Counts links and long paragraphs. */
function countTags(tape: Tape): { links: number; paragraphs: number } {
  const isLong = (at: number): boolean => joinTexts(tape, at).length >= 120
  return {
    links: tape.tags.filter((tag) => tag === 'a').length,
    paragraphs: tape.tags.filter((tag, at) => tag === 'p' && isLong(at)).length,
  }
}

function joinTexts(tape: Tape, at: number): string {
  return tape.texts.slice(tape.textFrom[at], tape.textTo[at]).join('')
}

/** Lists the texts of links and buttons that are short enough to be labels. */
function listLabels(tape: Tape): NaiveValue[] {
  return tape.tags.flatMap((tag, at) => {
    const parts = tape.textTo[at] - tape.textFrom[at]
    if (!['a', 'button'].includes(tag) || parts === 0 || parts > 12 || joinTexts(tape, at).length > 160) return []
    const text = joinTexts(tape, at).split(/\s+/).filter(Boolean).join(' ').toLowerCase()
    return text.length > 40 ? [] : [{ ...plain(text, text), at }]
  })
}

function element(tape: Tape, at: number): NaiveValue {
  const text = (): string =>
    tape.texts
      .slice(tape.textFrom[at], tape.textTo[at])
      .join('')
      .slice(0, ['script', 'style'].includes(tape.tags[at]) ? undefined : 65_536)
      .split(/\s+/)
      .filter(Boolean)
      .join(' ')
  return { name: '', text, at }
}

/** Lists cookies. Name and value are before the first semicolon, separated by the first equals sign. */
function listCookies({ headers }: Page): NaiveValue[] {
  return (headers ?? []).flatMap(([header, value]) => {
    const [pair] = value.split(';')
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0)).trim()
    return header === 'set-cookie' && name !== '' ? [plain(name, pair.slice(equals + 1).trim())] : []
  })
}

function listMetas({ tape }: Page): NaiveValue[] {
  return tape.tags.flatMap((tag, at) => {
    const content = readAttribute(tape, at, 'content')
    if (tag !== 'meta' || content === null) return []
    const names = ['name', 'property', 'itemprop'].map((key) => readAttribute(tape, at, key)?.trim() ?? '')
    return names.flatMap((name) => (name === '' ? [] : [{ ...plain(name, content.trim()), at }]))
  })
}

/** Lists every object anywhere in the data, under each of its types (without the vocabulary's address). */
function listNodes(data: unknown): NaiveValue[] {
  if (Array.isArray(data)) return data.flatMap(listNodes)
  if (!isObject(data)) return []
  const types = [...new Set([data['@type']].flat().map((type) => (typeof type === 'string' ? bare(type) : '')))]
  const own = types.flatMap((type) => (type === '' ? [] : listFields(type, data)))
  return [...own, ...Object.values(data).flatMap(listNodes)]
}

function listFields(path: string, value: unknown): NaiveValue[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => listFields(path, item))
  if (!isObject(value)) return [plain(path, String(value))]
  const called = value['@value'] ?? value.name ?? value.url ?? value['@id'] ?? ''
  const below = Object.entries(value).flatMap(([field, inner]) => listFields(`${path}.${field}`, inner))
  return [plain(path, typeof called === 'object' ? '' : String(called)), ...below]
}

function bare(type: string): string {
  const text = type.trim()
  return text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf(':'), text.lastIndexOf('#')) + 1)
}

function isObject(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}
