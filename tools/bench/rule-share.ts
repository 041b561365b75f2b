import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { UsageError } from '../../src/cli/command/command.ts'
import { loadRuleset, type PageInput } from '../../src/index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { KINDS } from '../../src/rules/discover.ts'
import type { PassTimes, ShareTask } from './rule-share-worker.ts'

/** The full ruleset has this many times the rules of the sample, and the larger ruleset of `measureGrowth` those of the base. */
const TIMES = 2.5
/** Pages are taken at equal intervals. More would take longer without a more precise ratio. */
const MAX_PAGES = 300
/** Workers of each ruleset, one after the other: V8 compiles the same code differently in each, which changes times by up to 10 %. */
const WORKERS = 4

interface Ratio {
  readonly rules: readonly [small: number, large: number]
  /** Time of building a page and detection with the large ruleset, divided by that with the small one. */
  readonly time: number
  /** Time of detection alone with the large ruleset, divided by that with the small one. */
  readonly detection: number
}

/** A ruleset by the names of its rules: kind and slug. */
type Names = ReadonlySet<string>

/**
 * Measures how detection slows down with the number of rules: all rules compared with a sample of 40 %. Each ruleset has workers
 * of its own, as in the service: two in one heap would share caches that a service has for one. A worker of each runs in turns, and
 * each page counts with its quickest pass, because other processes only add time. Site types are in both rulesets, or in none:
 * each of them adds up points of the whole page, so that their cost is not that of looking up rules.
 * @param rounds passes of each worker over the pages, the first of which warm up the engine; at least 3
 */
export async function measureRuleShare(pages: readonly PageInput[], rounds: number): Promise<Record<string, Ratio>> {
  const all = await listNames()
  const sample = new Set([...all].filter((name) => isTypeName(name) || spread(name) < 1 / TIMES))
  const withoutTypes = (names: Names): Names => new Set([...names].filter((name) => !isTypeName(name)))
  return {
    withSiteTypes: await compare(sample, all, { pages, rounds }),
    withoutSiteTypes: await compare(withoutTypes(sample), withoutTypes(all), { pages, rounds }),
  }
}

/**
 * Measures what the rules since a commit cost: those that existed then, compared with 2.5 times as many and with all of today. All
 * are in the version of today, and site types are in each ruleset.
 * @param commit a Git reference
 */
export async function measureGrowth(
  pages: readonly PageInput[],
  rounds: number,
  commit: string,
): Promise<Record<string, Ratio>> {
  const all = await listNames()
  const then = listNamesOf(commit)
  const base = new Set([...all].filter((name) => isTypeName(name) || then.has(name)))
  const later = [...all].filter((name) => !base.has(name)).sort((a, b) => spread(a) - spread(b))
  const grown = new Set([...base, ...later.slice(0, Math.round((TIMES - 1) * base.size))])
  return {
    moreRules: await compare(base, grown, { pages, rounds }),
    allRules: await compare(base, all, { pages, rounds }),
  }
}

async function listNames(): Promise<Names> {
  const { rules } = await loadRuleset()
  return new Set(rules.map(({ kind, slug }) => `${kind}/${slug}`))
}

function isTypeName(name: string): boolean {
  return name.startsWith('site-type/')
}

/** Lists the rules of a commit. @throws UsageError if Git does not know it */
function listNamesOf(commit: string): Names {
  const { status, stdout, stderr, error } = spawnSync('git', ['ls-tree', '-r', '--name-only', commit, '--', 'rules'], {
    cwd: projectFolder(),
    encoding: 'utf8',
  })
  if (status !== 0)
    throw new UsageError(`--since must be a commit of this repository: ${error?.message ?? stderr.trim()}`)
  const paths = stdout.matchAll(/^rules\/([\w-]+)\/(?:[\w-]+\/)?([\w-]+)\.yaml$/gm)
  return new Set([...paths].map(([, folder, slug]) => `${KINDS.get(folder)}/${slug}`))
}

/** A number from 0 to 1 that depends on nothing but the name, so that samples are the same in every run. */
function spread(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0) / 2 ** 32
}

interface Passes {
  readonly pages: readonly PageInput[]
  readonly rounds: number
}

async function compare(small: Names, large: Names, { pages, rounds }: Passes): Promise<Ratio> {
  const step = Math.ceil(pages.length / MAX_PAGES)
  const some = pages.filter((_, i) => i % step === 0)
  const passes: Record<'small' | 'large', PassTimes[]> = { small: [], large: [] }
  for (let pair = 0; pair < WORKERS; pair++) {
    const workers = {
      small: startWorker({ pages: some, names: small }),
      large: startWorker({ pages: some, names: large }),
    }
    for (let round = 0; round < rounds; round++) {
      passes.large.push(await runPass(workers.large))
      passes.small.push(await runPass(workers.small))
    }
    await Promise.all([workers.large.terminate(), workers.small.terminate()])
  }
  const divide = (part: 'all' | 'detection'): number =>
    Math.round((sumQuickest(passes.large, part) / sumQuickest(passes.small, part)) * 1000) / 1000
  return { rules: [small.size, large.size], time: divide('all'), detection: divide('detection') }
}

function startWorker(workerData: ShareTask): Worker {
  return new Worker(new URL('./rule-share-worker.js', import.meta.url), { workerData })
}

async function runPass(worker: Worker): Promise<PassTimes> {
  worker.postMessage('pass')
  const [times] = (await once(worker, 'message')) as [PassTimes]
  return times
}

/** Adds up the quickest pass of each page. */
function sumQuickest(passes: readonly PassTimes[], part: 'all' | 'detection'): number {
  return passes[0][part]
    .map((_, page) => Math.min(...passes.map((one) => one[part][page])))
    .reduce((total, value) => total + value, 0)
}
