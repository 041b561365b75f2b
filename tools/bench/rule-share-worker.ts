import { createHash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage, detect, loadRuleset, type PageInput } from '../../src/index.ts'

/** The part of the rules in the sample: the full ruleset has 2.5 times as many. */
const SHARE = 0.4

/** What a worker measures. */
export interface ShareTask {
  readonly pages: readonly PageInput[]
  /** Only the sample of the rules, which is the same in every run. */
  readonly isSample: boolean
  readonly hasSiteTypes: boolean
}

/** Milliseconds by page: for building the page and detection, and for detection alone. */
export interface PassTimes {
  readonly rules: number
  readonly all: readonly number[]
  readonly detection: readonly number[]
}

const { pages, isSample, hasSiteTypes } = workerData as ShareTask
const { rules, categories, version } = await loadRuleset()
const isWanted = ({ kind, slug }: Ruleset['rules'][number]): boolean =>
  kind === 'site-type' ? hasSiteTypes : !isSample || isSampled(`${kind}/${slug}`)
const ruleset = new Ruleset({ rules: rules.filter(isWanted), categories, detectors, version: `${version}:${isSample}` })

parentPort?.on('message', () => parentPort?.postMessage(runPass()))

/** Detects all pages once. */
function runPass(): PassTimes {
  const all: number[] = []
  const detection: number[] = []
  for (const input of pages) {
    const started = performance.now()
    const page = buildPage(input)
    const built = performance.now()
    detect(ruleset, page)
    const ended = performance.now()
    all.push(ended - started)
    detection.push(ended - built)
  }
  return { rules: ruleset.rules.length, all, detection }
}

/** Whether a rule is in the sample, which depends on nothing but its name. */
function isSampled(name: string): boolean {
  return createHash('sha256').update(name).digest().readUInt32BE(0) < SHARE * 2 ** 32
}
