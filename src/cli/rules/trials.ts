import { mapLimited } from '../../async/map-limited.ts'
import type { PageDetector } from '../../detector/detector.ts'
import type { LoadOptions } from '../../detector/load-ruleset.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { OpenedFile } from '../../engine/lookup/ruleset-file.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { PageInput } from '../../engine/page/page.ts'
import type { Verdict } from '../../engine/verdict/verdict-types.ts'
import { toKnown } from '../../rules/checks/rule-checks.ts'
import { limitTime } from './limit-time.ts'
import { type PageOutcome, runTrials, type TrialResult, type TrialRule } from './run-trials.ts'
import type { TrialPool } from './trial-pool.ts'
import type { RuleToTry } from './trial-worker.ts'
import { type RuleTrial, tryRule } from './try-rule.ts'

interface TrialOptions {
  /** Options of `loadRuleset`, with which threads load the same rules. */
  readonly options: LoadOptions
  /** The compiled ruleset of these options; null if each thread loads its own. */
  readonly file: OpenedFile | null
  readonly threads: number
  /** Whether there are few pages, which the calling thread has detected before another one has loaded its code. */
  readonly isFew: boolean
  /** Time limit per page. */
  readonly timeoutMs: number
  /** The rules as this thread has loaded them. */
  readonly ruleset: Ruleset
  readonly detectors: readonly Detector[]
}

/** Pages that a thread gets at once. */
const PAGES_AT_ONCE = 27

/** Runs the tests of rules and detects pages: many at once in threads, few on the calling thread, and one by one if that fails. */
export class Trials {
  /** Warnings of all pages, each once. */
  readonly warnings = new Set<string>()
  readonly #options: TrialOptions
  #pool: Promise<TrialPool> | undefined
  #detector: Promise<PageDetector> | undefined

  constructor(options: TrialOptions) {
    this.#options = options
  }

  /** Runs the tests of rules. The results are in the order of the rules. */
  async tryRules(rules: readonly TrialRule[]): Promise<readonly RuleTrial[]> {
    const result = await this.#run(rules, [])
    if (result !== null) return result.trials
    const { ruleset, detectors } = this.#options
    const detectPage = (input: PageInput): Promise<Verdict> => this.#detectAlone(input)
    return mapLimited(rules, rules.length, ({ rule, unproven }) =>
      tryRule(rule, { ruleset, detectors, detectPage, unproven }),
    )
  }

  /** Whether detectors of the operator are used, which may fail on pages, and do more than a limit of time can stop. */
  get hasForeignDetectors(): boolean {
    return this.#options.options.detectors?.length !== 0
  }

  get detectors(): readonly Detector[] {
    return this.#options.detectors
  }

  /** Detects pages. The results are in the order of the pages. */
  async detectPages(pages: readonly PageInput[]): Promise<readonly PageOutcome[]> {
    const count = Math.ceil(pages.length / PAGES_AT_ONCE)
    const groups = Array.from({ length: count }, (_, i) => pages.slice(i * PAGES_AT_ONCE, (i + 1) * PAGES_AT_ONCE))
    return (await Promise.all(groups.map((group) => this.#detectGroup(group)))).flat()
  }

  async #detectGroup(pages: readonly PageInput[]): Promise<readonly PageOutcome[]> {
    const result = await this.#run([], pages)
    if (result !== null) return result.outcomes
    return mapLimited(pages, pages.length, async (input): Promise<PageOutcome> => {
      try {
        return { verdict: await this.#detectAlone(input) }
      } catch (error) {
        return { message: (error as Error).message }
      }
    })
  }

  /** Returns null if each page has to be detected alone, to find out which one takes too long. */
  async #run(rules: readonly TrialRule[], pages: readonly PageInput[]): Promise<TrialResult | null> {
    const isHere = this.#options.isFew && !this.hasForeignDetectors
    const result = await (isHere ? this.#runHere(rules, pages) : this.#runInThread(rules, pages))
    for (const warning of result?.warnings ?? []) this.warnings.add(warning)
    return result
  }

  async #runHere(rules: readonly TrialRule[], pages: readonly PageInput[]): Promise<TrialResult | null> {
    const { timeoutMs, ruleset, detectors } = this.#options
    let isLate = false
    const limit = <Result>(detectPage: () => Result): Result => {
      try {
        return limitTime(detectPage, timeoutMs)
      } catch (error) {
        isLate ||= (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
        throw error
      }
    }
    const result = await runTrials({ rules, pages }, { ruleset, detectors, limit })
    return isLate || result.longestMs >= timeoutMs ? null : result
  }

  async #runInThread(rules: readonly TrialRule[], pages: readonly PageInput[]): Promise<TrialResult | null> {
    const { options, file } = this.#options
    const shared = this.hasForeignDetectors ? null : (file?.buffer ?? null)
    this.#pool ??= import('./trial-pool.ts').then((one) => new one.TrialPool({ options, shared }, this.#options))
    const sent = rules.map(({ rule, unproven }): RuleToTry => {
      const { data, isRejected } = toKnown(rule)
      return { found: rule.found, data, isRejected, unproven }
    })
    return (await this.#pool).run({ rules: sent, pages })
  }

  /** Detects a page on a thread that has no other, with a limit that counts processor time. */
  async #detectAlone(input: PageInput): Promise<Verdict> {
    this.#detector ??= this.#openDetector()
    const verdict = await (await this.#detector).detect(input)
    for (const warning of verdict.warnings) this.warnings.add(warning)
    return verdict
  }

  async #openDetector(): Promise<PageDetector> {
    const { options, file, threads, timeoutMs } = this.#options
    const { openPageDetector } = await import('../../detector/detector.ts')
    return openPageDetector({ ...options, file, threads, timeoutMs })
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close()
    await (await this.#detector)?.close()
  }
}
