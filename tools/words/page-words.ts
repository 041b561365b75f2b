import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getDomain } from 'tldts'
import { detectors } from '../../plugins/index.ts'
import { HEADER_SECTIONS, MIN_SITES } from '../../src/authoring/common-words/page-words.ts'
import { parseLine, readBatchLines, readPageLine } from '../../src/cli/scan/batch-lines.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import type { Page } from '../../src/engine/page/page-types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { listFired } from '../../src/rules/run-fixture.ts'
import { type CountedWord, MAX_PHRASE, WordCounter } from './count-words.ts'
import { formatRule, ProductWords } from './product-words.ts'
import { readPageTexts, readPageWords } from './read-words.ts'
import { WordOwners } from './tell-apart.ts'

const TARGET = join(projectFolder(), 'src/authoring/common-words/page-words.txt')

/** Response headers were recorded for fewer sites. */
const MIN_HEADER_SITES = 5
/** Minimum number of sites of words and of pairs of words in texts, of which there are many. */
const MIN_TEXT_SITES: Readonly<Record<string, readonly [word: number, pair: number]>> = {
  text: [10, 25],
  title: [10, 10],
  inline: [15, 50],
  html: [15, 60],
  style: [15, 60],
  comment: [10, 20],
}
/** A word of a product matters to other rules only if the product is widespread. */
const MIN_OWNED_SITES = 50
/** Parts of values occur by chance. */
const MIN_PART_SITES = 15

/** What was read of the pages: counts, and the rules that fire, by site. */
interface ReadPages {
  readonly counter: WordCounter
  readonly fired: readonly Set<string>[]
  readonly headerSites: ReadonlySet<number>
}

/** Counts the words of pages, and writes those of many unrelated sites to the table. @returns a sentence about it */
export async function writePageWords(files: readonly string[], today: string): Promise<string> {
  const ruleset = openRuleset({ folders: [], detectors })
  const { counter, fired, headerSites } = await readPages(files, (page) =>
    listFired(detect(ruleset, page)).map(formatRule),
  )
  const owners = new WordOwners(fired, new ProductWords(ruleset.rules))
  const sections = new Map<string, string[]>()
  const ownedTokens = new Set<string>()
  for (const counted of counter.list()) {
    const line = formatWord(counted, owners, ownedTokens)
    if (line === null) continue
    const lines = sections.get(counted.section) ?? []
    sections.set(counted.section, lines)
    lines.push(line)
  }
  const head = `# Words of ordinary pages: ${fired.length} sites, ${headerSites.size} with response headers, counted on ${today}.\n`
  const body = [...sections].sort().map(([name, lines]) => `[${name}]\n${lines.sort().join('\n')}\n`)
  writeFileSync(TARGET, head + body.join(''))
  const words = [...sections.values()].reduce((sum, lines) => sum + lines.length, 0)
  return `${words} words of ${fired.length} sites`
}

async function readPages(files: readonly string[], listRules: (page: Page) => readonly string[]): Promise<ReadPages> {
  const counter = new WordCounter(MIN_HEADER_SITES)
  const sites = new Map<string, number>()
  const fired: Set<string>[] = []
  const headerSites = new Set<number>()
  for (const file of files) {
    let pages = 0
    for await (const { line } of readBatchLines(file)) {
      const data = parseLine(line)
      const { id, input } = readPageLine(data)
      const page = buildPage(input)
      const name = nameSite(page, data, id)
      const site = sites.get(name) ?? sites.size
      sites.set(name, site)
      fired[site] ??= new Set()
      for (const rule of listRules(page)) fired[site].add(rule)
      if (page.headers !== null) headerSites.add(site)
      counter.add(site, readPageWords(page), readPageTexts(page))
      pages++
    }
    process.stderr.write(`${file}: ${pages} pages\n`)
  }
  return { counter, fired, headerSites }
}

/** The site that a page belongs to: its registrable domain; without an address, the repository that it comes from. */
function nameSite({ url }: Page, { source }: Readonly<Record<string, unknown>>, id: string): string {
  if (url !== null) return getDomain(url.host, { allowPrivateDomains: true }) ?? url.host
  const repository = typeof source === 'object' && source !== null && 'repo' in source ? source.repo : undefined
  return typeof repository === 'string' ? repository : id
}

/** Formats a line of the table; null for a word of too few sites, or of a product. */
function formatWord(
  { section, word, sites, repeats }: CountedWord,
  owners: WordOwners,
  owned: Set<string>,
): string | null {
  const tokens = word.split(' ')
  const isPhrase = section in MAX_PHRASE
  const least = findLeast(section, tokens.length)
  if (sites.length < least || !/[\p{L}\p{N}]/u.test(word)) return null
  const ownership = owners.find(word, sites, least)
  const isOwned = ownership.kind === 'product' || (ownership.kind === 'named' && ownership.isOwned)
  if (isPhrase && tokens.length === 1 && isOwned) owned.add(`${section} ${word}`)
  if (ownership.kind === 'product' || (isOwned && sites.length < MIN_OWNED_SITES)) return null
  // A phrase with a word of a product is one of that product.
  if (isPhrase && tokens.length > 1 && (isOwned || tokens.some((token) => owned.has(`${section} ${token}`))))
    return null
  const rest = ownership.kind === 'named' ? [...ownership.rest].map(([slug, count]) => `${slug}:${count}`) : []
  const cells = [
    word,
    sites.length,
    ...(repeats > 1 || rest.length > 0 ? [repeats] : []),
    ...(rest.length > 0 ? [rest] : []),
  ]
  return cells.join('\t')
}

function findLeast(section: string, tokens: number): number {
  if (HEADER_SECTIONS.includes(section)) return MIN_HEADER_SITES
  if (section === 'part') return MIN_PART_SITES
  return MIN_TEXT_SITES[section]?.[tokens - 1] ?? MIN_SITES
}
