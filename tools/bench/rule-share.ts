import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PageInput } from '../../src/index.ts'
import type { PassTimes, ShareTask } from './rule-share-worker.ts'

/** Pages are taken at equal intervals. More would take longer without a more precise ratio. */
const MAX_PAGES = 300
/** Workers of each ruleset, one after the other: V8 compiles the same code differently in each, which changes times by up to 10 %. */
const WORKERS = 4

interface Ratio {
  /** Rules of the sample and of the full ruleset. */
  readonly rules: readonly [sample: number, full: number]
  /** Time of building a page and detection with all rules, divided by that with the sample. */
  readonly timeOfAllBySample: number
  /** Time of detection with all rules, divided by that with the sample, without building the page. */
  readonly detectionOfAllBySample: number
}

/**
 * Measures how detection slows down with the number of rules: all rules compared with a sample of 40 %. Each ruleset has workers
 * of its own, as in the service: two in one heap would share caches that a service has for one. A worker of each runs in turns, and
 * each page counts with its quickest pass, because other processes only add time. Site types are in both rulesets, or in none:
 * each of them adds up points of the whole page, so that their cost is not that of looking up rules.
 * @param rounds passes of each worker over the pages, the first of which warm up the engine; at least 3
 */
export async function measureRuleShare(
  pages: readonly PageInput[],
  rounds: number,
): Promise<Readonly<Record<'withSiteTypes' | 'withoutSiteTypes', Ratio>>> {
  const step = Math.ceil(pages.length / MAX_PAGES)
  const some = pages.filter((_, i) => i % step === 0)
  return {
    withSiteTypes: await compare({ pages: some, hasSiteTypes: true }, rounds),
    withoutSiteTypes: await compare({ pages: some, hasSiteTypes: false }, rounds),
  }
}

async function compare(task: Omit<ShareTask, 'isSample'>, rounds: number): Promise<Ratio> {
  const passes: Record<'full' | 'sample', PassTimes[]> = { full: [], sample: [] }
  for (let pair = 0; pair < WORKERS; pair++) {
    const full = startWorker({ ...task, isSample: false })
    const sample = startWorker({ ...task, isSample: true })
    for (let round = 0; round < rounds; round++) {
      passes.full.push(await runPass(full))
      passes.sample.push(await runPass(sample))
    }
    await Promise.all([full.terminate(), sample.terminate()])
  }
  const divide = (part: 'all' | 'detection'): number =>
    Math.round((sumQuickest(passes.full, part) / sumQuickest(passes.sample, part)) * 1000) / 1000
  return {
    rules: [passes.sample[0].rules, passes.full[0].rules],
    timeOfAllBySample: divide('all'),
    detectionOfAllBySample: divide('detection'),
  }
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
