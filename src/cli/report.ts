import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { buildLabels } from '../detector/ruleset-labels.ts'
import { loadRuleset } from '../index.ts'
import { compareSites } from '../report/compare-sites.ts'
import { countSites } from '../report/count-sites.ts'
import { renderReport } from '../report/render-report.tsx'
import type { ReportData } from '../report/report-data.ts'
import type { ReportLabels } from '../report/site.ts'
import { checkFiles } from './command/check-files.ts'
import { type CommandIo, defineCommand, EXIT, readArgs, UsageError, writeText } from './command/command.ts'
import { formatCount } from './command/format-count.ts'
import { formatReport } from './report/format-report.ts'
import { type Results, readResults } from './report/read-results.ts'

const MAX_ROWS = 20_000
const MAX_ROWS_TEXT = MAX_ROWS.toLocaleString('en')

const HELP = `
Summarizes the results of scans, and compares them with earlier ones.

  npm run -s report -- results.jsonl|results.csv … [--compare older.jsonl] [--out report.html] [--rows 5000]
      Reads the JSON Lines or CSV that scan writes, also compressed (.gz), and prints numbers: builders, AI-native share,
      technologies, hosting, site types, confidence, errors by code. A site that occurs several times counts once, with its last line.

  --out report.html      writes the same numbers as charts with a table of the sites into one HTML file, which is overwritten
  --compare older.jsonl  adds what changed at each site since these results
  --rows 5000            maximum number of rows of a table in the file, at most ${MAX_ROWS_TEXT}

Settings (environment): RULES_DIRS and DETECTORS, additional rules and detectors, whose technologies have categories.
Exit code: 0 success, 1 some lines are not results, 2 wrong usage or failure.
`

const text = { type: 'string' } as const

export const main = defineCommand(HELP, async (args, io) => {
  const options = { compare: text, out: text, rows: text }
  const { values, positionals } = readArgs({ args, allowPositionals: true, options })
  const { compare, out, rows = '5000' } = values
  if (positionals.length === 0) throw new UsageError('name the results: the JSON Lines or CSV that "scan --out" writes')
  if (!/^[1-9]\d{0,4}$/.test(rows) || Number(rows) > MAX_ROWS)
    throw new UsageError(`--rows must be a whole number from 1 to ${MAX_ROWS_TEXT}, not "${rows}"`)
  await checkFiles({ results: positionals, compare, out })
  checkOutput(out)
  const labels = await loadLabels(io)
  const results = await readResults(positionals, labels.aiNative)
  const earlier = compare === undefined ? null : await readResults([compare], labels.aiNative)
  const data = buildReport({ results, earlier, labels, maxRows: Number(rows) })
  for (const note of data.notes) io.stderr.write(`${note}\n`)
  await writeText(io.stdout, formatReport(data))
  if (out !== undefined) {
    await writeFile(out, await renderReport(data))
    io.stderr.write(`The report is in ${out}.\n`)
  }
  return results.skipped === null && (earlier?.skipped ?? null) === null ? EXIT.ok : EXIT.findings
})

/** @throws UsageError for an output that is not an HTML file */
function checkOutput(out: string | undefined): void {
  if (out === undefined || /^\.html?$/i.test(extname(out))) return
  throw new UsageError(`--out "${out}": the report is HTML; use a name that ends in .html`)
}

/** Reads the data of the rules about names in results. */
async function loadLabels({ env }: CommandIo): Promise<ReportLabels> {
  const config = loadConfig(env)
  const ruleset = await loadRuleset({
    folders: config.ruleFolders,
    detectors: config.detectorModules,
    cache: config.cacheDir,
  })
  const { categories, rules, packed } = ruleset
  const { siteTypes, technologies } = buildLabels({ categories, rules, places: packed.known })
  return {
    siteTypes: new Map(Object.entries(siteTypes)),
    technologies: new Map(Object.entries(technologies)),
    aiNative: new Set(rules.flatMap(({ slug, aiNative }) => (aiNative ? [slug] : []))),
  }
}

interface ReportInput {
  readonly results: Results
  readonly earlier: Results | null
  readonly labels: ReportLabels
  readonly maxRows: number
}

function buildReport({ results, earlier, labels, maxRows }: ReportInput): ReportData {
  const comparison = earlier && { ...compareSites(earlier.sites, results.sites), earlier }
  return {
    source: results,
    numbers: countSites(results.sites.values(), labels, earlier?.sites.values()),
    labels,
    sites: [...results.sites.values()],
    maxRows,
    comparison,
    notes: [
      ...listNotes(results),
      ...(earlier === null ? [] : [...listNotes(earlier), ...compareRules(results, earlier)]),
    ],
  }
}

function listNotes({ files, repeated, skipped, cutOff }: Results): readonly string[] {
  return [
    ...(skipped === null ? [] : [`${skipped.first}; ${formatCount(skipped.count, 'line')} skipped.`]),
    ...cutOff.map((where) => `${where}, as after an interrupted scan. "scan --resume" completes the results.`),
    ...(repeated === 0
      ? []
      : [`${files.join(', ')}: ${formatCount(repeated, 'line')} replaced by a later one about the same site.`]),
  ]
}

/** Another version of the rules can change a result although the site is the same. */
function compareRules(results: Results, earlier: Results): readonly string[] {
  const isSame = [...results.rulesets].every((version) => earlier.rulesets.has(version))
  if (isSame || earlier.rulesets.size === 0) return []
  return [
    'The results were made with different versions of the rules: changes may come from the rules instead of the sites.',
  ]
}
