import { measurePattern } from './pattern-cost.ts'
import { buildPatternGraph, CostlyPatternError } from './pattern-graph.ts'
import { findPumps } from './pattern-pumps.ts'
import { PatternRunner } from './pattern-trial.ts'
import { VerdictCache } from './verdict-cache.ts'

/** Options of a `PatternJudge`. */
export interface JudgeOptions {
  readonly cache?: VerdictCache
  /** Time limit for all patterns together, in milliseconds; no limit if absent. */
  readonly timeoutMs?: number
}

/**
 * Decides whether a regular expression can take very long. A proof over its structure decides (`measurePattern`). A trial on
 * hostile texts generated from that structure guards against errors of the proof or of the engine.
 */
export class PatternJudge {
  /** Patterns that were not judged because the time limit had passed. */
  readonly unjudged = new Set<string>()
  readonly #cache: VerdictCache
  /** What was returned for a pattern: of three patterns in rules, one is the same as another. */
  readonly #reasons = new Map<string, string | null>()
  readonly #runner = new PatternRunner()
  readonly #end: number

  constructor({ cache = new VerdictCache(), timeoutMs = Number.POSITIVE_INFINITY }: JudgeOptions = {}) {
    this.#cache = cache
    this.#end = performance.now() + timeoutMs
  }

  /** @returns why the pattern is rejected; null if it is cheap on any text, or if the time limit has passed */
  judge(pattern: string, flags: string): string | null {
    const key = `/${pattern}/${flags}`
    const known = this.#reasons.get(key)
    if (known !== undefined) return known
    const reason = this.#judgeNew(pattern, flags)
    this.#reasons.set(key, reason)
    return reason
  }

  #judgeNew(pattern: string, flags: string): string | null {
    if (this.#cache.has(pattern, flags)) return null
    if (performance.now() >= this.#end) {
      this.unjudged.add(`/${pattern}/${flags}`)
      return null
    }
    try {
      const graph = buildPatternGraph(pattern, flags)
      measurePattern(graph)
      if (!this.#runner.isFast({ pattern, flags, pumps: findPumps(graph) }))
        return 'it took more than a second on 64 K characters; use fewer repeats and alternatives'
      this.#cache.add(pattern, flags)
      return null
    } catch (error) {
      if (error instanceof CostlyPatternError) return error.message
      throw error
    }
  }

  /** Stores the verdicts for the next run and ends the thread of the trials. */
  close(): void {
    this.#runner.close()
    this.#cache.save()
  }
}
