import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineCommand, EXIT, readArgs, UsageError } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { loadRuleset } from '../src/index.ts'
import { projectFolder } from '../src/rules/built.ts'
import type { Machine, SampledNaming, ToolComparison } from './compare/comparison.ts'
import type { DetectorCommand } from './compare/detector-process.ts'
import { LabelledNames, NameKeys } from './compare/match-names.ts'
import { type PageSet, readPages } from './compare/read-pages.ts'
import { renderComparison } from './compare/render-comparison.tsx'
import { type DetectorRun, runDetectors } from './compare/run-detectors.ts'
import { sampleNamings } from './compare/sample-namings.ts'
import { collectNames, summarizeDetectors, summarizePairs } from './compare/summarize.ts'

const HELP = `
Compares detectors on saved pages: what they name, how far they agree, precision and recall where pages have labels, speed, start and
memory. Writes one HTML file, in which a person can judge a sample without knowing which detector named what. docs/benchmark.md
describes the measurements, adapters and labels.

  tools/run compare PAGES --out comparison.html [--detector NAME=COMMAND]…

PAGES is JSON Lines as of scan --batch, also gzip. Siteprint always takes part; COMMAND is the command line of an adapter.

  --labels FILE       JSON Lines {"id", "expect": {"builder"}}; without it, the key expect of the pages is used
  --json FILE         also writes the numbers as JSON
  --pages N           N of the pages, at equal intervals
  --timed-pages N     pages of the rounds that measure speed (100)
  --rounds N          these rounds (3)
  --sample N          namings to judge (50)
  --timeout SECONDS   for one page and for a start (60)
  --core N            the core of the detectors (0); without effect where taskset does not exist

Exit code: 0 done, 2 wrong usage or another error. Progress is on stderr.
`

const OPTIONS = {
  out: { type: 'string' },
  detector: { type: 'string', multiple: true },
  labels: { type: 'string' },
  json: { type: 'string' },
  pages: { type: 'string' },
  'timed-pages': { type: 'string', default: '100' },
  rounds: { type: 'string', default: '3' },
  sample: { type: 'string', default: '50' },
  timeout: { type: 'string', default: '60' },
  core: { type: 'string', default: '0' },
} as const
const STARTS = 3

const main = defineCommand(HELP, async (args, io) => {
  const { values, positionals } = readArgs({ args, options: OPTIONS, allowPositionals: true })
  if (positionals.length !== 1) throw new UsageError('name one file with pages')
  if (values.out === undefined) throw new UsageError('--out is missing: it names the HTML file to write')
  const read = (name: 'timed-pages' | 'rounds' | 'sample' | 'timeout' | 'core', least = 1): number =>
    readNumber(name, values[name], least)
  const core = read('core', 0)
  if (core >= cpus().length) throw new UsageError(`--core must be below ${cpus().length}, the number of cores`)
  const detectors = readDetectors(values.detector ?? [])
  const options = {
    rounds: read('rounds'),
    timedPages: read('timed-pages'),
    timeoutMs: 1000 * read('timeout'),
    starts: STARTS,
    core: spawnSync('taskset', ['-c', `${core}`, 'true']).status === 0 ? core : null,
    report: (text: string): void => void io.stderr.write(`${text}\n`),
  }
  const sampleCount = read('sample', 0)
  const count = values.pages === undefined ? null : readNumber('pages', values.pages, 1)
  const set = await readPages(positionals[0], values.labels ?? null, count)
  const runs = await runDetectors(detectors, set.pages, options)
  for (const { name, answers } of runs)
    for (const [i, { failure }] of answers.entries())
      if (failure !== null) io.stderr.write(`${name} failed on ${set.pages[i].id}: ${failure}\n`)
  const { comparison, sample } = await buildComparison(runs, set, {
    file: basename(positionals[0]),
    oneCore: options.core !== null,
    sampleCount,
  })
  writeFileSync(values.out, await renderComparison(comparison, sample))
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(comparison, null, 2)}\n`)
  io.stdout.write(formatLines(comparison))
  io.stderr.write(`The comparison is in ${values.out}.\n`)
  return EXIT.ok
})

await runMain(main, process.argv.slice(2))

function readNumber(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least) throw new UsageError(`--${name} must be a whole number from ${least}`)
  return value
}

/** @throws UsageError for an argument that is not NAME=COMMAND, and for a repeated name */
function readDetectors(texts: readonly string[]): DetectorCommand[] {
  const own = fileURLToPath(new URL('./compare/adapters/siteprint.js', import.meta.url))
  const detectors: DetectorCommand[] = [{ name: 'Siteprint', command: `'${process.execPath}' '${own}'` }]
  for (const text of texts) {
    const [, name, command] = /^([^=]+)=(.+)$/s.exec(text) ?? []
    if (name === undefined) throw new UsageError(`--detector must be NAME=COMMAND, not "${text}"`)
    if (detectors.some((one) => one.name === name))
      throw new UsageError(`the name "${name}" is repeated: give another one`)
    detectors.push({ name, command })
  }
  return detectors
}

interface ComparisonFacts {
  readonly file: string
  readonly oneCore: boolean
  readonly sampleCount: number
}

async function buildComparison(
  runs: readonly DetectorRun[],
  { pages, hash }: PageSet,
  { file, oneCore, sampleCount }: ComparisonFacts,
): Promise<{ readonly comparison: ToolComparison; readonly sample: readonly SampledNaming[] }> {
  const keys = new NameKeys(JSON.parse(readFileSync(join(projectFolder(), 'tools', 'compare', 'names.json'), 'utf8')))
  const { named, spelling } = collectNames(runs, keys)
  const labels = pages.map(({ label }) => label)
  const count = labels.filter((label) => label !== null).length
  const labelled = count === 0 ? null : new LabelledNames(labels, (await loadRuleset()).rules, keys)
  const comparison: ToolComparison = {
    format: 1,
    measured: new Date().toISOString(),
    machine: describeMachine(oneCore),
    pages: { file, count: pages.length, sha256: hash, labelled: count },
    rounds: runs[0].rounds.length,
    timedPages: runs[0].rounds[0].length,
    detectors: summarizeDetectors(runs, pages, { named, labelled }),
    pairs: summarizePairs(runs, named, spelling),
  }
  return { comparison, sample: sampleNamings(pages, named, { spelling, count: sampleCount }) }
}

function describeMachine(oneCore: boolean): Machine {
  return {
    cpu: cpus()[0].model.trim(),
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().split('-')[0]}`,
    node: process.versions.node,
    load: Math.round(10 * loadavg()[0]) / 10,
    oneCore,
  }
}

function formatLines({ detectors }: ToolComparison): string {
  return detectors
    .map(({ name, namingsPerPage, pagesPerSecond, speed, failures }) => {
      const failed = failures === 0 ? '' : `, ${failures} failures`
      return `${name}: ${namingsPerPage} names per page, ${pagesPerSecond} pages a second (${speed})${failed}\n`
    })
    .join('')
}
