import { parentPort, workerData } from 'node:worker_threads'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage, detect, loadRuleset, type PageInput } from '../../src/index.ts'

/** What a worker measures. */
export interface ShareTask {
  readonly pages: readonly PageInput[]
  /** The rules to use: kind and slug. */
  readonly names: ReadonlySet<string>
}

/** Milliseconds by page: for building the page and detection, and for detection alone. */
export interface PassTimes {
  readonly all: readonly number[]
  readonly detection: readonly number[]
}

const { pages, names } = workerData as ShareTask
const { rules, categories, version } = await loadRuleset()
const used = rules.filter(({ kind, slug }) => names.has(`${kind}/${slug}`))
const ruleset = Ruleset.of({ rules: used, categories, version: `${version}:${used.length}` }, detectors)

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
  return { all, detection }
}
