import { workerData } from 'node:worker_threads'
import { loadDetectors } from '../../../plugins/load.ts'
import type { WorkerRules } from '../../detector/match-worker.ts'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import { openRulesetFile } from '../../engine/lookup/ruleset-file.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import { FOUND, indexPlaces } from '../../engine/rule/clause.ts'
import { detect } from '../../engine/verdict/detect.ts'
import type { Verdict } from '../../engine/verdict/verdict-types.ts'
import { fromKnown } from '../../rules/checks/rule-checks.ts'
import type { FoundRule } from '../../rules/discover.ts'
import type { Finding } from '../../rules/findings.ts'
import { findNetworkOf } from '../../rules/fixtures.ts'
import { CLAUSE_KEYS } from '../../rules/schema.ts'
import { type RuleTrial, tryRule } from './try-rule.ts'

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

/** The verdict on a page, or why there is none. */
export type PageOutcome = { readonly verdict: Verdict } | { readonly message: string }

export interface TrialResult {
  /** In the order of the rules. */
  readonly trials: readonly RuleTrial[]
  /** In the order of the pages. */
  readonly outcomes: readonly PageOutcome[]
  /** Warnings of all pages, each once. */
  readonly warnings: readonly string[]
  /** The longest time of a page in milliseconds. */
  readonly longestMs: number
}

const { options, shared } = workerData as WorkerRules
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
export default async function run({ rules, pages, clock }: TrialTask): Promise<TrialResult> {
  const warnings = new Set<string>()
  let longestMs = 0
  const detectPage = (input: PageInput): Verdict => {
    const started = performance.now()
    Atomics.add(clock, 0, 1)
    try {
      const verdict = detect(ruleset, buildPage(input.network === undefined ? findNetworkOf(input) : input))
      for (const warning of verdict.warnings) warnings.add(warning)
      return verdict
    } finally {
      Atomics.add(clock, 1, 1)
      longestMs = Math.max(longestMs, performance.now() - started)
    }
  }
  const trials: RuleTrial[] = []
  for (const { found, data, isRejected, unproven } of rules) {
    const rule = fromKnown(found, { data, syntax: [], findings: [], isRejected }, places)
    trials.push(await tryRule(rule, { ruleset, detectors, detectPage, unproven }))
  }
  const outcomes = pages.map((input): PageOutcome => {
    try {
      return { verdict: { ...detectPage(input) } }
    } catch (error) {
      return { message: (error as Error).message }
    }
  })
  return { trials, outcomes, warnings: [...warnings], longestMs }
}
