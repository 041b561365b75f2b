import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import { detect } from '../../engine/verdict/detect.ts'
import type { Verdict } from '../../engine/verdict/verdict-types.ts'
import type { CheckedRule } from '../../rules/checks/rule-checks.ts'
import type { Finding } from '../../rules/findings.ts'
import { findNetworkOf } from '../../rules/fixtures.ts'
import { type RuleTrial, tryRule } from './try-rule.ts'

/** A rule to test, and what is known of parts that no hit shows. */
export interface TrialRule {
  readonly rule: CheckedRule
  readonly unproven: readonly Finding[] | null
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

interface TrialRunner {
  readonly ruleset: Ruleset
  readonly detectors: readonly Detector[]
  /** Runs the detection of a page. @throws if it takes too long */
  readonly limit: (detectPage: () => Verdict) => Verdict
}

/** Runs the tests of rules and detects pages on the calling thread. @throws what `limit` throws */
export async function runTrials(
  { rules, pages }: { readonly rules: readonly TrialRule[]; readonly pages: readonly PageInput[] },
  { ruleset, detectors, limit }: TrialRunner,
): Promise<TrialResult> {
  const warnings = new Set<string>()
  let longestMs = 0
  const detectPage = (input: PageInput): Verdict => {
    const started = performance.now()
    try {
      const verdict = limit(() => detect(ruleset, buildPage(findNetworkOf(input))))
      for (const warning of verdict.warnings) warnings.add(warning)
      return verdict
    } finally {
      longestMs = Math.max(longestMs, performance.now() - started)
    }
  }
  const trials: RuleTrial[] = []
  for (const { rule, unproven } of rules) trials.push(await tryRule(rule, { ruleset, detectors, detectPage, unproven }))
  const outcomes = pages.map((input): PageOutcome => {
    try {
      return { verdict: { ...detectPage(input) } }
    } catch (error) {
      return { message: (error as Error).message }
    }
  })
  return { trials, outcomes, warnings: [...warnings], longestMs }
}
