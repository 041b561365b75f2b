import { parentPort, workerData } from 'node:worker_threads'
import { type LoadOptions, loadRuleset, type PageInput } from '../../index.ts'
import { type ExplainedRules, explainPage } from './explain-page.ts'

/** Content of `workerData`. */
export interface ExplainTask extends LoadOptions {
  readonly rules: ExplainedRules
  readonly input: PageInput
}

const { rules, input, ...options } = workerData as ExplainTask
const ruleset = await loadRuleset(options)
parentPort?.postMessage('ready')
parentPort?.postMessage(explainPage(ruleset, rules, input))
