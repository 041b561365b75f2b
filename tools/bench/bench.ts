import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { detectors } from '../../plugins/index.ts'
import { defineCommand, EXIT, readArgs } from '../../src/cli/command/command.ts'
import { runMain } from '../../src/cli/command/run-main.ts'
import { openPool } from '../../src/detector/worker-pool.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import { buildPage, detect, loadRuleset, type PageInput } from '../../src/index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { median, quantile } from '../statistics/quantile.ts'
import { measureBodies } from './bodies.ts'
import { measureDetails } from './details.ts'
import { generatePages } from './generated-pages.ts'
import { measureHostileFetches } from './hostile-fetching.ts'
import { measureLoopDelay } from './hostile-matching.ts'
import { measureHttp } from './http.ts'
import { measureLiveScan } from './live.ts'
import { measureNetworks } from './networks.ts'
import { measurePortal } from './portal.ts'
import { measureGrowth, measureRuleShare } from './rule-share.ts'
import { measureSeveralPages } from './several-pages.ts'
import { measureStart } from './start.ts'
import { generateRules } from './synthetic-rules.ts'

const HELP = `
Measures page building and detection relative to bare extraction (htmlparser2 that collects tags, attributes and text in
arrays), in the same run.

  npm run -s bench [-- --rounds 5] [--pages pages.jsonl.gz]

Uses ../shared/pages/pages.jsonl.gz if it exists, otherwise generated pages. Prints JSON on stdout. Figures are medians over the
rounds; ratios compare passes that run alternately. Other figures: the overhead of a live scan of a local 180 kB page over a
bare request for it, the longest delay of the main thread while workers match hostile pages, the memory before and after scanning
all hostile servers, and the rate of cached scans over HTTP relative to a bare Fastify route (also with Redis and MongoDB, if
tools/services.sh has started them).

  npm run -s bench -- --http      only the rate over HTTP
  npm run -s bench -- --networks  only the table of networks: the time of its opening in a new process, and of a lookup
  npm run -s bench -- --bodies    only scripts and style sheets: a bundle of 1 MiB, and a live scan with and without them
  npm run -s bench -- --several   only a scan of four pages of a site, whose parts run on three systems, by the time of one page
  npm run -s bench -- --details   only the processor time of a cached scan with include=details by that of one without
  npm run -s bench -- --portal    only the time of each page of the portal, with 10,000 accounts
  npm run -s bench -- --share     only the time of detection with all rules by that with a sample of 40 % of them
  npm run -s bench -- --start     only starts of commands and of the service as multiples of \`node -e 0\`, and memory; also with ten
                                  times the rules. Each line is printed when it is measured. --only 'rules lint' measures the lines
                                  whose name contains this text. --scans 50000 reads the memory of the service again after so many scans
  npm run -s bench -- --since REF only the time of detection with 2.5 times the rules of a commit, and with all of today, by that
                                  with the rules that existed then
`

/** What one option measures alone. */
const PARTS: Readonly<Record<string, (rounds: number) => object | Promise<object>>> = {
  portal: measurePortal,
  bodies: measureAllBodies,
  several: (rounds) => measureSeveralPages(Math.max(7, rounds)),
  details: (rounds) => measureDetails(Math.max(60, rounds)),
  networks: (rounds) => measureNetworks(Math.max(7, rounds)),
  http: measureHttp,
}

const main = defineCommand(HELP, async (args) => {
  const { values } = readArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      pages: { type: 'string' },
      share: { type: 'boolean' },
      since: { type: 'string' },
      start: { type: 'boolean' },
      scans: { type: 'string', default: '0' },
      only: { type: 'string', default: '' },
      ...Object.fromEntries(Object.keys(PARTS).map((name) => [name, { type: 'boolean' } as const])),
    },
  })
  const rounds = Math.max(1, Number(values.rounds))
  const part = Object.keys(PARTS).find((name) => (values as Readonly<Record<string, unknown>>)[name] === true)
  if (part !== undefined) return print({ [part]: await PARTS[part](rounds) })
  if (values.start) {
    const { only } = values
    await measureStart({ rounds: Math.max(7, rounds), scans: Number(values.scans), only, print })
    return EXIT.ok
  }
  const pages = readPages(values.pages ?? join(projectFolder(), '..', 'shared', 'pages', 'pages.jsonl.gz'))
  if (values.share) return print({ share: await measureRuleShare(pages, Math.max(3, rounds)) })
  if (values.since !== undefined) return print({ since: await measureGrowth(pages, Math.max(3, rounds), values.since) })
  return print(await measureAll(pages, rounds))
})

// As in the service (src/process.ts): otherwise V8 may keep what pages leave for the rest of a run, which costs up to a fifth of the time.
setFlagsFromString('--no-allocation-site-pretenuring')
await runMain(main, process.argv.slice(2))

/** Makes the report of a run without an option. */
async function measureAll(pages: readonly PageInput[], rounds: number): Promise<object> {
  const liveScan = await measureLiveScan(20 * rounds) // First: the other measurements fill the memory of this process.
  const matching = await measureMatching(pages, rounds)
  const pool = openPool({ maxWaitMs: 60_000 })
  const loopDelay = await measureLoopDelay(pool)
  await pool.close()
  return {
    pages: pages.length,
    ...matching,
    liveScan,
    bodies: await measureAllBodies(rounds),
    networks: measureNetworks(Math.max(7, rounds)),
    mainLoopWhileHostilePagesMatch: { worstMs: round(loopDelay.worstMs) },
    hostileFetches: await measureHostileFetches(),
    http: await measureHttp(rounds),
  }
}

async function measureAllBodies(rounds: number): Promise<object> {
  const real = await loadRuleset()
  return measureBodies(
    { real, synthetic1000: withSynthetic(real, 1000), synthetic7000: withSynthetic(real, 7000) },
    10 * rounds,
  )
}

function print(report: object): number {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  return EXIT.ok
}

/** Measures detection with the real rules, and how its time grows with the number of rules. */
async function measureMatching(pages: readonly PageInput[], rounds: number): Promise<object> {
  const loadStarted = performance.now()
  const real = await loadRuleset()
  const loadMs = performance.now() - loadStarted
  const scan = (set: Ruleset) => (page: PageInput) => detect(set, buildPage(page))
  const scanReal = scan(real)
  // Compared passes run alternately, and without the larger rulesets: thousands of rules fill the memory and the caches.
  const bare = (page: PageInput): unknown => extract(String(page.html ?? ''))
  const alone = measure({ bare, build: buildPage, real: scanReal }, pages, rounds)
  const tenfold = withSynthetic(real, real.rules.length * 9)
  const synthetic3500 = withSynthetic(real, 3500)
  const synthetic7000 = withSynthetic(real, 7000)
  const sets = { real, tenfold, synthetic3500, synthetic7000 }
  const many = measure({ real: scanReal, tenfold: scan(tenfold) }, pages, rounds)
  const more = measure({ synthetic3500: scan(synthetic3500), synthetic7000: scan(synthetic7000) }, pages, rounds)
  const times = { ...more, ...many, ...alone }
  return {
    rules: Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, set.rules.length])),
    loadMs: round(loadMs),
    passes: Object.fromEntries(Object.keys(times).map((name) => [name, summarize(times[name])])),
    speedOfBare: { build: calculateRatio(alone, 'bare', 'build'), real: calculateRatio(alone, 'bare', 'real') },
    timeOfTenfoldByReal: calculateRatio(many, 'tenfold', 'real'),
    timeOf7000By3500: calculateRatio(more, 'synthetic7000', 'synthetic3500'),
  }
}

/** Median over the rounds of the total time of pass `a` divided by that of pass `b`. */
function calculateRatio(times: Times, a: string, b: string): number {
  return round(median(times[a].map((row, i) => sum(row) / sum(times[b][i]))))
}

/** @param rounds milliseconds by round and page */
function summarize(rounds: readonly (readonly number[])[]): Record<string, number> {
  const perPage = rounds[0].map((_, i) => median(rounds.map((one) => one[i])))
  const total = median(rounds.map(sum))
  return {
    pagesPerSecond: Math.round((perPage.length * 1000) / total),
    medianMs: round(median(perPage)),
    p95Ms: round(quantile(perPage, 0.95)),
  }
}

function readPages(file: string): PageInput[] {
  if (!existsSync(file)) return generatePages(200)
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n')
  return lines.map((line) => {
    const { url, status, headers, html } = JSON.parse(line) as PageInput
    return { url, status, headers, html }
  })
}

function withSynthetic(real: Ruleset, count: number): Ruleset {
  const places = indexPlaces(detectors)
  const more = generateRules(count, 1).map((rule) => compileRule(rule, places))
  return Ruleset.of(
    {
      rules: [...real.rules, ...more],
      categories: real.categories,
      version: `${real.version}+${count}`,
    },
    detectors,
  )
}

/** The minimum work of any reader of a page. */
function extract(html: string): unknown[] {
  const tags: string[] = []
  const attributes: [string, string][] = []
  const texts: string[] = []
  const parser = new Parser({
    onopentag: (name, attribs) => {
      tags.push(name)
      for (const pair of Object.entries(attribs)) attributes.push(pair)
    },
    ontext: (text) => texts.push(text),
  })
  parser.end(html)
  return [tags, attributes, texts]
}

/** Milliseconds by pass, round and page. */
type Times = Record<string, number[][]>

/** Measures passes. In each round, all passes run one after the other on each page, so that drift affects all equally. */
function measure(
  passes: Record<string, (page: PageInput) => unknown>,
  pages: readonly PageInput[],
  rounds: number,
): Times {
  const times: Times = Object.fromEntries(Object.keys(passes).map((name) => [name, []]))
  for (let roundNumber = -1; roundNumber < rounds; roundNumber++) {
    const row = Object.fromEntries(Object.keys(passes).map((name) => [name, [] as number[]]))
    for (const page of pages)
      for (const [name, run] of Object.entries(passes)) {
        const started = performance.now()
        run(page)
        row[name].push(performance.now() - started)
      }
    if (roundNumber >= 0) for (const name of Object.keys(passes)) times[name].push(row[name]) // The first round is a warm-up.
  }
  return times
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
