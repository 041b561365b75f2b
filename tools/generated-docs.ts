import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectors } from '../plugins/index.ts'
import { NOTE_TABLE } from '../src/authoring/import/import-notes.ts'
import { FOUND } from '../src/engine/rule/clause.ts'
import type { Place } from '../src/engine/rule/place.ts'
import { isRetryable, SCAN_CAUSES, type ScanCause } from '../src/errors.ts'
import { buildPage, detect, toResult } from '../src/index.ts'
import { ownFolder, projectFolder } from '../src/rules/built.ts'
import { ordinaryPagesSchema } from '../src/rules/data-schemas.ts'
import { FINDING_TABLE } from '../src/rules/findings.ts'
import { type CheckedRules, checkFolders } from '../src/rules/load/load.ts'
import { buildRuleset } from '../src/rules/load/open-ruleset.ts'
import { VENDOR_NAMES } from '../src/rules/vendor-hosts.ts'
import { formatBenchmark } from './benchmark-tables.ts'
import { buildClientFiles } from './client-types.ts'
import {
  type Document,
  formatErrorSentences,
  formatPlans,
  formatSettings,
  formatTable,
  readLastCells,
} from './service-tables.ts'

/** A document that is generated from the code, completely or in parts. */
export interface GeneratedDoc {
  /** Path relative to the folder of the project. */
  readonly file: string
  /** Current text; empty if the file does not exist. */
  readonly text: string
  /** Text that the file should have. */
  readonly wanted: string
  /** Problems that generating the document again cannot fix. */
  readonly problems: readonly string[]
}

type GeneratedParts = Readonly<Record<string, string>>

/** Generated parts by name. A part may depend on the document that contains it. */
export const PARTS = {
  places: () => formatPlaces([...detectors, FOUND]),
  example: formatExample,
  plans: formatPlans,
  'error-sentences': formatErrorSentences,
  settings: formatSettings,
  causes: formatCauses,
  findings: formatFindings,
  'import-notes': formatImportNotes,
  benchmark: formatBenchmark,
  'builder-categories': () => formatClosedLists()['builder-categories'],
  'technology-categories': () => formatClosedLists()['technology-categories'],
  'site-types': () => formatClosedLists()['site-types'],
  'vendor-names': () => `${VENDOR_NAMES.map((name) => `\`${name}\``).join(', ')}.`,
} satisfies Readonly<Record<string, (document: Document) => string | Promise<string>>>

/** Document → the parts that it contains. */
export const DOCUMENT_PARTS: Readonly<Record<string, readonly (keyof typeof PARTS)[]>> = {
  'README.md': ['example'],
  'docs/api.md': ['builder-categories', 'site-types', 'error-sentences', 'plans'],
  'docs/operating.md': ['settings'],
  'docs/rules.md': ['places', 'builder-categories', 'technology-categories', 'site-types', 'vendor-names'],
  'docs/findings.md': ['findings'],
  'docs/fetching.md': ['causes'],
  'docs/import.md': ['import-notes'],
  'docs/benchmark.md': ['benchmark'],
}

/** Reads every generated document of the project and generates its parts again. */
export async function generateDocs(root: string): Promise<GeneratedDoc[]> {
  const read = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '')
  const docs: GeneratedDoc[] = []
  for (const [file, names] of Object.entries(DOCUMENT_PARTS)) {
    const document = { file, text: read(file) }
    const parts: Record<string, string> = {}
    for (const name of names) parts[name] = await PARTS[name](document)
    docs.push(fillParts(file, document.text, parts))
  }
  for (const [file, wanted] of Object.entries(await buildFiles()))
    docs.push({ file, text: read(file), wanted, problems: [] })
  return docs
}

/** Builds the files that are generated completely: the schema of ordinary pages, and the generated files of clients. */
async function buildFiles(): Promise<Readonly<Record<string, string>>> {
  const formatJson = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`
  return {
    'test/pages/schema.json': formatJson(ordinaryPagesSchema),
    ...(await buildClientFiles({ categories: findCategoryNames(), siteTypes: findSiteTypes() }, readVersion())),
  }
}

/** What an import reports. */
function formatImportNotes(): string {
  const rows = NOTE_TABLE.map(([reason, effect, sentence]) => [
    `\`${reason}\``,
    effect,
    sentence.replace('{detail}', '…'),
  ])
  return formatTable(['reason', 'effect', 'sentence'], rows)
}

let checked: CheckedRules | undefined
/** Reads the rules of the project, once. */
function readRules(): CheckedRules {
  return (checked ??= checkFolders({ folders: [ownFolder], detectors }))
}

/** Inserts each part between `<!-- generated:name -->` and `<!-- /generated -->`. Reports parts without markers, and markers without a part. */
export function fillParts(file: string, text: string, parts: GeneratedParts): GeneratedDoc {
  const missing = new Set(Object.keys(parts))
  const problems: string[] = []
  const wanted = text.replace(
    /(<!-- generated:([a-z-]+) -->\n).*?(<!-- \/generated -->)/gs,
    (all, open, name, close) => {
      missing.delete(name)
      if (name in parts) return `${open}${parts[name]}\n${close}`
      problems.push(`${file}: there is no generated part "${name}"`)
      return all
    },
  )
  for (const name of missing)
    problems.push(`${file}: the markers <!-- generated:${name} --> … <!-- /generated --> are missing`)
  for (const [, code] of wanted.matchAll(/^\|[^`\n]*`([\w-]+)`.*\| +\|$/gm))
    problems.push(`${file}: the last cell of ${code} is empty; write it by hand`)
  return { file, text, wanted, problems }
}

/** Returns a sentence for each problem of the documents. */
export function checkDocs(docs: readonly GeneratedDoc[]): string[] {
  const stale = docs.filter(({ text, wanted }) => text !== wanted)
  return [
    ...stale.map(({ file }) => `${file} is out of date; run tools/run docs --write`),
    ...docs.flatMap(({ problems }) => problems),
  ]
}

function formatCauses(): string {
  const rows = Object.entries(SCAN_CAUSES).map(([cause, [code, sentence]]) => {
    const retryable = isRetryable({ code, reason: cause as ScanCause }) ? 'yes' : 'no'
    return [cause, `\`${code}\``, retryable, sentence]
  })
  return formatTable(['cause', 'code', 'retryable', 'sentence'], rows)
}

function formatPlaces(places: readonly Place[]): string {
  const rows = places.map(({ key, about, family, word, names = [] }) => {
    const words = names.length > 0 ? names.map((name) => `\`${name}\``).join(' ') : word
    return [`\`${key}\``, words, about, family]
  })
  return formatTable(['place', 'word', 'finds', 'family'], rows)
}

/** The last cell of each row is written by hand and preserved. */
function formatFindings({ text }: Document): string {
  const written = readLastCells(text, 'findings')
  const rows = [...FINDING_TABLE].map(([code, [level, sentence, warningFor]]) => [
    `\`${code}\``,
    warningFor ? `${level}; ${warningFor}: warning` : level,
    sentence.replaceAll('|', '\\|'),
    written.get(code),
  ])
  return formatTable(['code', 'level', 'sentence', 'how to fix it'], rows)
}

function findSiteTypes(): string[] {
  const types = readRules().rules.filter(({ found, source }) => found.kind === 'site-type' && !source?.unnamed)
  return types.map(({ found }) => found.slug)
}

/** Builder category → its name in revision 1 of the API. */
function findCategoryNames(): Record<string, string> {
  const { builders } = readRules().categories
  return Object.fromEntries(Object.entries(builders).map(([name, { revision1 }]) => [name, revision1 ?? name]))
}

function readVersion(): string {
  return (JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as { version: string }).version
}

function formatClosedLists() {
  const { categories } = readRules()
  const formatWords = (words: readonly string[]): string => `${words.map((word) => `\`${word}\``).join(', ')}.`
  return {
    'builder-categories': formatWords(Object.keys(categories.builders)),
    'technology-categories': formatWords(Object.keys(categories.technologies)),
    'site-types': formatWords(findSiteTypes()),
  }
}

/** The result for the example page with its address and headers. */
function formatExample(): string {
  const folder = join(projectFolder(), 'examples')
  const headers = JSON.parse(readFileSync(join(folder, 'headers.json'), 'utf8')) as Record<string, string>
  const page = buildPage({
    url: 'https://harbourline.example/',
    headers,
    html: readFileSync(join(folder, 'page.html')),
  })
  const result = toResult(detect(buildRuleset(readRules(), detectors, ''), page))
  const json = JSON.stringify(result, null, 2).replace(
    /\[\n([^\]]*)\n {2}\]/,
    (_, items: string) => `[${items.trim().replace(/\n\s*/g, ' ')}]`,
  )
  return `\`\`\`json\n${json}\n\`\`\``
}
