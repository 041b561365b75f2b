import { parseUrl } from '../../text/parse-url.ts'
import type { GoogleMacro } from './google-values.ts'

/** Whether a tag runs on the page: surely, perhaps, or on no page at all. */
export type TagUse = 'always' | 'maybe' | 'never'

interface TriggerData {
  readonly macros: readonly GoogleMacro[]
  readonly predicates: readonly unknown[]
  readonly rules: readonly unknown[]
  readonly tags: readonly Readonly<Record<string, unknown>>[]
  /** The URL of the page; null if it is unknown. */
  readonly address: string | null
}

/** Events that happen on every page. */
const PAGE_EVENTS: ReadonlySet<unknown> = new Set(['gtm.js', 'gtm.dom', 'gtm.load', 'gtm.init', 'gtm.init_consent'])
/** Comparisons of two texts. Regular expressions of a container are not run. */
const COMPARISONS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  _eq: (text, part) => text === part,
  _cn: (text, part) => text.includes(part),
  _sw: (text, part) => text.startsWith(part),
  _ew: (text, part) => text.endsWith(part),
}

/** The triggers of a container: `[["if",0],["unless",1],["add",0,3],["block",2]]`, where numbers of conditions and tags stand. */
export class GoogleTriggers {
  readonly #data: TriggerData
  readonly #url: URL | null
  readonly #always = new Set<unknown>()
  readonly #maybe = new Set<unknown>()
  readonly #blocked = new Set<unknown>()

  constructor(data: TriggerData) {
    this.#data = data
    this.#url = data.address === null ? null : parseUrl(data.address)
    const truths = data.predicates.map((predicate) => this.#evaluate(predicate))
    for (const rule of data.rules) this.#addRule(rule, truths)
    for (const tag of data.tags) this.#addSequence(tag)
  }

  /** Finds when the tag with a number runs. Without any trigger, the container is cut, and nothing is known. */
  find(i: number): TagUse {
    if (this.#always.has(i)) return this.#blocked.has(i) ? 'maybe' : 'always'
    return this.#maybe.has(i) || this.#data.rules.length === 0 ? 'maybe' : 'never'
  }

  #addRule(rule: unknown, truths: readonly (boolean | null)[]): void {
    if (!Array.isArray(rule)) return
    let truth: boolean | null = true
    for (const [kind, ...numbers] of rule.filter(Array.isArray)) {
      if (kind !== 'if' && kind !== 'unless') continue
      for (const number of numbers) truth = and(truth, negate(truths[Number(number)] ?? null, kind === 'unless'))
    }
    for (const [kind, ...numbers] of rule.filter(Array.isArray)) {
      // A tag that runs on another page only is used by the site.
      const set =
        kind === 'add'
          ? truth
            ? this.#always
            : this.#maybe
          : kind === 'block' && truth !== false
            ? this.#blocked
            : null
      if (set !== null) for (const number of numbers) set.add(number)
    }
  }

  /** Tags that run before or after another one have no trigger: `"setup_tags":["list",["tag",3,0]]`. */
  #addSequence({ setup_tags: before, teardown_tags: after }: Readonly<Record<string, unknown>>): void {
    for (const list of [before, after])
      for (const one of Array.isArray(list) ? list : []) if (Array.isArray(one)) this.#maybe.add(one[1])
  }

  /** @returns null if the page does not show it */
  #evaluate(predicate: unknown): boolean | null {
    const { function: name, arg0, arg1 } = (predicate ?? {}) as Readonly<Record<string, unknown>>
    const macro = Array.isArray(arg0) && arg0[0] === 'macro' ? this.#data.macros[Number(arg0[1])] : undefined
    if (macro?.function === '__e') return (name === '_eq' && PAGE_EVENTS.has(arg1)) || arg1 === '.*' ? true : null
    const text = macro?.function === '__u' ? this.#readUrl(macro.vtp_component) : null
    const compare = typeof name === 'string' && Object.hasOwn(COMPARISONS, name) ? COMPARISONS[name] : null
    return text === null || compare === null || typeof arg1 !== 'string' ? null : compare(text, arg1)
  }

  #readUrl(component: unknown): string | null {
    const url = this.#url
    if (url === null) return null
    if (component === undefined || component === 'URL') return url.href
    return component === 'HOST' ? url.hostname : component === 'PATH' ? url.pathname : null
  }
}

function and(a: boolean | null, b: boolean | null): boolean | null {
  return a === false || b === false ? false : a === null || b === null ? null : true
}

function negate(truth: boolean | null, isNegated: boolean): boolean | null {
  return isNegated && truth !== null ? !truth : truth
}
