import { workerData } from 'node:worker_threads'
import { loadDetectors } from '../../../plugins/load.ts'
import type { WorkerRules } from '../../detector/match-worker.ts'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import { openRulesetFile } from '../../engine/lookup/ruleset-file.ts'
import type { PageInput } from '../../engine/page/page.ts'
import { FOUND, indexPlaces } from '../../engine/rule/clause.ts'
import type { Verdict } from '../../engine/verdict/verdict-types.ts'
import { fromKnown } from '../../rules/checks/rule-checks.ts'
import type { FoundRule } from '../../rules/discover.ts'
import type { Finding } from '../../rules/findings.ts'
import { CLAUSE_KEYS } from '../../rules/schema.ts'
import { runTrials, type TrialResult } from './run-trials.ts'

/** A rule that was checked, as a thread gets it. */
export interface RuleToTry {
  readonly found: FoundRule
  readonly data: unknown
  readonly isRejected: boolean
  readonly unproven: readonly Finding[] | null
}

/** Rules and pages for a thread. */
export interface TrialTask {
  readonly rules: readonly RuleToTry[]
  readonly pages: readonly PageInput[]
  /** The numbers of pages that were begun and ended, in memory that the main thread watches. */
  readonly clock: Int32Array
}

/** The rules of a thread. It is not warmed up, because it matches many pages. */
export type TrialRules = Pick<WorkerRules, 'options' | 'shared'>

const { options, shared } = workerData as TrialRules
const detectors = await loadDetectors(options.detectors ?? [], [...CLAUSE_KEYS, FOUND.key])
const places = indexPlaces(detectors)
const ruleset =
  shared === null
    ? await (await import('../../detector/load-ruleset.ts')).loadRuleset(options)
    : new Ruleset(openRulesetFile(shared, true), detectors)

/**
 * Runs the tests of rules, and detects pages.
 * @public called by Piscina
 */
export default function run({ rules, pages, clock }: TrialTask): Promise<TrialResult> {
  const limit = (detectPage: () => Verdict): Verdict => {
    Atomics.add(clock, 0, 1)
    try {
      return detectPage()
    } finally {
      Atomics.add(clock, 1, 1)
    }
  }
  const known = rules.map(({ found, data, isRejected, unproven }) => ({
    rule: fromKnown(found, { data, syntax: [], findings: [], isRejected }, places),
    unproven,
  }))
  return runTrials({ rules: known, pages }, { ruleset, detectors, limit })
}
