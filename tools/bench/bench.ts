import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Parser } from 'htmlparser2'
import { detectors } from '../../plugins/index.ts'
import { EXIT, readArgs, runCommand } from '../../src/cli/command.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import { buildPage, detect, loadRuleset, type PageInput } from '../../src/index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { openPool } from '../../src/scan/worker-pool.ts'
import { generatedPages } from './generated-pages.ts'
import { measureHostileFetches } from './hostile-fetching.ts'
import { measureLoopDelay } from './hostile-matching.ts'
import { measureHttp } from './http.ts'
import { measureLiveScan } from './live.ts'
import { median, quantile } from './quantile.ts'
import { syntheticRules } from './synthetic-rules.ts'

const HELP = `
Measures page building and detection against bare extraction (htmlparser2 pushing tags, attributes and text into arrays), in one run.

  npm run -s bench [-- --rounds 5] [--pages pages.jsonl.gz]

Uses ../shared/pages/pages.jsonl.gz when it is there, else pages it generates. Prints JSON on stdout. Figures are medians over the rounds;
the ratios compare passes that ran in turn. Then what a live scan of a local 180 kB page costs beyond a bare request for it, the
main thread's worst delay while workers match hostile pages, the memory before and after every hostile server, and the rate of
cached scans over HTTP beside a bare route of Fastify (with Redis and MongoDB too, if tools/services.sh has started them).

  npm run -s bench -- --http      that last one alone
`

await runCommand(HELP, async (args) => {
  const { values } = readArgs({
    args,
    options: { rounds: { type: 'string', default: '5' }, pages: { type: 'string' }, http: { type: 'boolean' } },
  })
  const rounds = Math.max(1, Number(values.rounds))
  if (values.http) return print({ http: await measureHttp(rounds) })
  const pages = readPages(values.pages ?? join(projectFolder(), '..', 'shared', 'pages', 'pages.jsonl.gz'))
  const liveScan = await measureLiveScan(20 * rounds) // First: what comes later fills the memory of this process.
  const loadStarted = performance.now()
  const real = await loadRuleset()
  const loadMs = performance.now() - loadStarted
  const scan = (set: Ruleset) => (page: PageInput) => detect(set, buildPage(page))
  const scanReal = scan(real)
  // What is compared runs in turn, and nothing else lies beside it: thousands of rules fill the memory and the caches.
  const alone = measure(
    { bare: (page) => extract(String(page.html ?? '')), build: buildPage, real: scanReal },
    pages,
    rounds,
  )
  const sets = {
    real,
    tenfold: withSynthetic(real, real.rules.length * 9),
    synthetic3500: withSynthetic(real, 3500),
    synthetic7000: withSynthetic(real, 7000),
  }
  const many = measure({ real: scanReal, tenfold: scan(sets.tenfold) }, pages, rounds)
  const more = measure(
    { synthetic3500: scan(sets.synthetic3500), synthetic7000: scan(sets.synthetic7000) },
    pages,
    rounds,
  )
  const times = { ...more, ...many, ...alone }
  const ratio = (from: Times, a: string, b: string): number =>
    round(median(from[a].map((one, i) => sumOf(one) / sumOf(from[b][i]))))
  const pool = openPool({ maxWaitMs: 60_000 })
  const loopDelay = await measureLoopDelay(pool)
  await pool.close()
  const report = {
    pages: pages.length,
    rules: Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, set.rules.length])),
    loadMs: round(loadMs),
    passes: Object.fromEntries(Object.keys(times).map((name) => [name, paceOf(times[name])])),
    speedOfBare: { build: ratio(alone, 'bare', 'build'), real: ratio(alone, 'bare', 'real') },
    timeOfTenfoldByReal: ratio(many, 'tenfold', 'real'),
    timeOf7000By3500: ratio(more, 'synthetic7000', 'synthetic3500'),
    liveScan,
    mainLoopWhileHostilePagesMatch: { worstMs: round(loopDelay.worstMs) },
    hostileFetches: await measureHostileFetches(),
    http: await measureHttp(rounds),
  }
  return print(report)
})

function print(report: object): number {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  return EXIT.fine
}

/** @param rounds milliseconds by round and page */
function paceOf(rounds: readonly (readonly number[])[]): Record<string, number> {
  const perPage = rounds[0].map((_, i) => median(rounds.map((one) => one[i])))
  const total = median(rounds.map(sumOf))
  return {
    pagesPerSecond: Math.round((perPage.length * 1000) / total),
    medianMs: round(median(perPage)),
    p95Ms: round(quantile(perPage, 0.95)),
  }
}

function readPages(file: string): PageInput[] {
  if (!existsSync(file)) return generatedPages(200)
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n')
  return lines.map((line) => {
    const { url, status, headers, html } = JSON.parse(line) as PageInput
    return { url, status, headers, html }
  })
}

function withSynthetic(real: Ruleset, count: number): Ruleset {
  const places = indexPlaces(detectors)
  const more = syntheticRules(count, 1).map((rule) => compileRule(rule, places))
  return new Ruleset({
    rules: [...real.rules, ...more],
    categories: real.categories,
    detectors,
    version: `${real.version}+${count}`,
  })
}

/** What any reader of the page has to pay. */
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

/** Measures passes: those of a round run in turn on each page, so that drift hits all alike. */
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
    if (roundNumber >= 0) for (const name of Object.keys(passes)) times[name].push(row[name]) // The first round warms up.
  }
  return times
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
