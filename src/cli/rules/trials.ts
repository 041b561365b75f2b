import { mapLimited } from '../../async/map-limited.ts'
import { openPageDetector, type PageDetector } from '../../detector/detector.ts'
import type { LoadOptions } from '../../detector/load-ruleset.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { OpenedFile } from '../../engine/lookup/ruleset-file.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { PageInput } from '../../engine/page/page.ts'
import type { Verdict } from '../../engine/verdict/verdict-types.ts'
import { type CheckedRule, toKnown } from '../../rules/checks/rule-checks.ts'
import type { Finding } from '../../rules/findings.ts'
import { TrialPool } from './trial-pool.ts'
import type { PageOutcome, RuleToTry, TrialResult } from './trial-worker.ts'
import { type RuleTrial, tryRule } from './try-rule.ts'

/** A rule to test, and what is known of parts that no hit shows. */
interface KnownRule {
  readonly rule: CheckedRule
  readonly unproven: readonly Finding[] | null
}

interface TrialOptions {
  /** Options of `loadRuleset`, with which threads load the same rules. */
  readonly options: LoadOptions
  /** The compiled ruleset of these options; null if each thread loads its own. */
  readonly file: OpenedFile | null
  readonly threads: number
  /** Time limit per page. */
  readonly timeoutMs: number
  /** The rules as this thread has loaded them. */
  readonly ruleset: Ruleset
  readonly detectors: readonly Detector[]
}

/** Pages that a thread gets at once. */
const PAGES_AT_ONCE = 27

/** Runs the tests of rules and detects pages in threads: many at once, and one by one if that fails. */
export class Trials {
  /** Warnings of all pages, each once. */
  readonly warnings = new Set<string>()
  readonly #options: TrialOptions
  readonly #pool: TrialPool
  #detector: Promise<PageDetector> | undefined

  constructor(options: TrialOptions) {
    const shared = options.options.detectors?.length === 0 ? (options.file?.buffer ?? null) : null
    this.#options = options
    this.#pool = new TrialPool({ options: options.options, shared }, options)
  }

  /** Runs the tests of rules. The results are in the order of the rules. */
  async tryRules(known: readonly KnownRule[]): Promise<readonly RuleTrial[]> {
    const rules = known.map(({ rule, unproven }): RuleToTry => {
      const { data, isRejected } = toKnown(rule)
      return { found: rule.found, data, isRejected, unproven }
    })
    const result = this.#keepWarnings(await this.#pool.run({ rules, pages: [] }))
    if (result !== null) return result.trials
    const { ruleset, detectors } = this.#options
    const detectPage = (input: PageInput): Promise<Verdict> => this.#detectAlone(input)
    return mapLimited(known, known.length, ({ rule, unproven }) =>
      tryRule(rule, { ruleset, detectors, detectPage, unproven }),
    )
  }

  /** Detects pages. The results are in the order of the pages. */
  async detectPages(pages: readonly PageInput[]): Promise<readonly PageOutcome[]> {
    const count = Math.ceil(pages.length / PAGES_AT_ONCE)
    const groups = Array.from({ length: count }, (_, i) => pages.slice(i * PAGES_AT_ONCE, (i + 1) * PAGES_AT_ONCE))
    return (await Promise.all(groups.map((group) => this.#detectGroup(group)))).flat()
  }

  async #detectGroup(pages: readonly PageInput[]): Promise<readonly PageOutcome[]> {
    const result = this.#keepWarnings(await this.#pool.run({ rules: [], pages }))
    if (result !== null) return result.outcomes
    return mapLimited(pages, pages.length, async (input): Promise<PageOutcome> => {
      try {
        return { verdict: await this.#detectAlone(input) }
      } catch (error) {
        return { message: (error as Error).message }
      }
    })
  }

  #keepWarnings(result: TrialResult | null): TrialResult | null {
    for (const warning of result?.warnings ?? []) this.warnings.add(warning)
    return result
  }

  /** Detects a page on a thread that has no other, with a limit that counts processor time. */
  async #detectAlone(input: PageInput): Promise<Verdict> {
    const { options, file, threads, timeoutMs } = this.#options
    this.#detector ??= openPageDetector({ ...options, file, threads, timeoutMs })
    const verdict = await (await this.#detector).detect(input)
    for (const warning of verdict.warnings) this.warnings.add(warning)
    return verdict
  }

  async close(): Promise<void> {
    await this.#pool.close()
    await (await this.#detector)?.close()
  }
}
