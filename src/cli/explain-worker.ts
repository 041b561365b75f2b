import { parentPort, workerData } from 'node:worker_threads'
import { type LoadOptions, loadRuleset, type PageInput } from '../index.ts'
import { explainPage } from './explain-page.ts'

/** Content of `workerData`. */
export interface ExplainTask extends LoadOptions {
  readonly slug: string
  readonly input: PageInput
}

const { slug, input, ...rules } = workerData as ExplainTask
const ruleset = await loadRuleset(rules)
parentPort?.postMessage('ready')
parentPort?.postMessage(explainPage(ruleset, slug, input))
