import { createHash } from 'node:crypto'
import { readAttribute } from '../../src/engine/page/element.ts'
import { buildPage } from '../../src/index.ts'
import type { SampledNaming } from './comparison.ts'
import type { PageLine } from './read-pages.ts'
import type { Named } from './summarize.ts'

/** A name occurs at most this many times in a sample, so that it is not about a few frequent ones. */
const MAX_PER_NAME = 3
const MAX_SOURCE_CHARACTERS = 30_000
const MAX_PASSAGES = 4
/** Characters before and after a name. */
const PASSAGE_MARGIN = 110
const MAX_LISTED = 12

interface NamingCandidate {
  readonly page: number
  readonly key: string
  readonly by: readonly number[]
  /** Decides the order, the same in every run. */
  readonly order: string
}

/**
 * Takes namings for a person to judge: in turns of each combination of detectors that have a naming in common, so that what they
 * disagree about is in it. The same pages and names give the same sample.
 */
export function sampleNamings(
  pages: readonly PageLine[],
  named: readonly Named[],
  { spelling, count }: { readonly spelling: ReadonlyMap<string, string>; readonly count: number },
): SampledNaming[] {
  const groups = new Map<string, NamingCandidate[]>()
  for (const candidate of listCandidates(pages, named)) {
    const group = groups.get(candidate.by.join()) ?? []
    groups.set(candidate.by.join(), group)
    group.push(candidate)
  }
  const queues = [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group.sort(compareOrder))
  const used = new Map<string, number>()
  const taken: NamingCandidate[] = []
  while (taken.length < count && queues.some((queue) => queue.length > 0))
    for (const queue of queues) {
      const at = queue.findIndex(({ key }) => (used.get(key) ?? 0) < MAX_PER_NAME)
      if (at === -1) queue.length = 0
      else if (taken.length < count) {
        const [one] = queue.splice(at, 1)
        used.set(one.key, (used.get(one.key) ?? 0) + 1)
        taken.push(one)
      }
    }
  return taken.sort(compareOrder).map(({ page, key, by }) => describe(pages[page], spelling.get(key) ?? key, by))
}

function compareOrder(a: NamingCandidate, b: NamingCandidate): number {
  return a.order < b.order ? -1 : 1
}

function* listCandidates(pages: readonly PageLine[], named: readonly Named[]): Generator<NamingCandidate> {
  for (const [page, { id }] of pages.entries()) {
    const keys = new Set(named.flatMap((sets) => [...sets[page]]))
    for (const key of keys) {
      const by = named.flatMap((sets, i) => (sets[page].has(key) ? [i] : []))
      yield { page, key, by, order: createHash('sha256').update(`${id}\n${key}`).digest('hex') }
    }
  }
}

/** Collects what a person needs to judge a naming without the page itself. */
function describe({ url, headers, html }: PageLine, name: string, by: readonly number[]): SampledNaming {
  const { title, generators, files } = readFacts(url, html)
  const facts: [string, string][] = [
    ...(title === '' ? [] : [['Title', cut(title)] as [string, string]]),
    ...generators.map((one): [string, string] => ['Generator', cut(one)]),
    ...findPassages(html, name).map((passage): [string, string] => ['In the source', passage]),
    ...headers.slice(0, MAX_LISTED).map(([key, value]): [string, string] => ['Header', cut(`${key}: ${value}`)]),
    ...files.map((one): [string, string] => ['File', cut(one)]),
  ]
  return { name, by, url: url ?? 'unknown address', facts, source: html.slice(0, MAX_SOURCE_CHARACTERS) }
}

function readFacts(url: string | null, html: string): Record<'generators' | 'files', string[]> & { title: string } {
  const { title, tape, urls } = buildPage({ url, status: null, headers: null, html })
  const generators = tape.tags.flatMap((tag, at) => {
    const isGenerator = tag === 'meta' && readAttribute(tape, at, 'name')?.toLowerCase() === 'generator'
    return isGenerator ? (readAttribute(tape, at, 'content') ?? []) : []
  })
  const files = new Set(urls.flatMap(({ kind, url: { href } }) => (kind === 'script' ? href : [])))
  return { title: title ?? '', generators, files: [...files].slice(0, MAX_LISTED) }
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)} …` : text
}

/** Finds where the words of a name occur in the source. */
function findPassages(html: string, name: string): string[] {
  const lower = html.toLowerCase()
  const words = [name, ...name.split(/[^\p{L}\p{N}]+/u)]
    .filter((word) => word.length > 2)
    .map((word) => word.toLowerCase())
  const starts: number[] = []
  for (const word of new Set(words))
    for (let at = lower.indexOf(word); at !== -1 && starts.length < MAX_PASSAGES; at = lower.indexOf(word, at + 1))
      if (starts.every((other) => Math.abs(other - at) > PASSAGE_MARGIN)) starts.push(at)
  return starts.map((at) =>
    html
      .slice(Math.max(0, at - PASSAGE_MARGIN), at + PASSAGE_MARGIN)
      .replace(/\s+/g, ' ')
      .trim(),
  )
}
