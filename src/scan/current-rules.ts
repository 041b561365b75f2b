import type { RulesetInfo } from '../detector/ruleset-info.ts'

/** A scan did not start, because it is to use another ruleset than the current one. */
export class RulesetChanged extends Error {}

/** Describes the ruleset that scans use, which an update replaces while the service runs. */
export class CurrentRules {
  readonly #listeners: ((rules: RulesetInfo) => void)[] = []
  #current: RulesetInfo

  constructor(current: RulesetInfo) {
    this.#current = current
  }

  /** One ruleset. A request reads it once and then uses the same one. */
  get current(): RulesetInfo {
    return this.#current
  }

  replace(next: RulesetInfo): void {
    this.#current = next
    for (const listen of this.#listeners) listen(next)
  }

  /** Calls a function with each ruleset that replaces another. */
  onChange(listen: (rules: RulesetInfo) => void): void {
    this.#listeners.push(listen)
  }
}

/** Returns a function that computes a value from the current rules, and again only after they have changed. */
export function computeOncePerRuleset<T>(
  rules: Pick<CurrentRules, 'current'>,
  compute: (rules: RulesetInfo) => T,
): () => T {
  let known: { readonly rules: RulesetInfo; readonly value: T } | undefined
  return () => {
    const { current } = rules
    if (known?.rules !== current) known = { rules: current, value: compute(current) }
    return known.value
  }
}
