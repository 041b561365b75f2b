import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { type CharRanges, findCharRanges } from './char-ranges.ts'

/** Maximum number of characters of a pattern with its counted repeats expanded. Larger patterns are rejected without further work. */
const MAX_STATES = 400
/** Maximum nesting of groups. */
const MAX_DEPTH = 100
/** Maximum number of ways from one character to the next without reading anything, as in `(?:|){9}`. */
const MAX_EMPTY_WAYS = 1000

const parser = new RegExpParser({ ecmaVersion: 2025 })

/** States 0 and 1 stand for the text before an attempt: nothing in state 0, any text in state 1. */
export const LATER_START = 1

/** Thrown for a pattern without a proof of its cost. `message` completes "this match can take very long on a hostile page: …". */
export class CostlyPatternError extends Error {}

/** The character of the pattern that was read last. */
export interface State {
  readonly chars: CharRanges
  /** States that may read the next character → number of ways to get there. */
  readonly next: ReadonlyMap<number, number>
  /** Whether the pattern has matched here and nothing is left to check. */
  readonly accepts: boolean
}

/** The states that a backtracking engine passes through, starting at state 0 or `LATER_START`. */
export type PatternGraph = readonly State[]

type PatternStep =
  | { readonly kind: 'char'; readonly state: number; readonly chars: CharRanges; readonly to: number }
  | { readonly kind: 'ways'; to: readonly number[] }
  | { readonly kind: 'assert'; readonly isStart: boolean; readonly to: number }
  | { readonly kind: 'accept' | 'dead' }

/**
 * Builds the graph of a pattern. Counted repeats are expanded, a lookaround is a way that leads nowhere, and a
 * backreference is treated like the group that it names.
 * @throws CostlyPatternError if the pattern is too large, or the cost of a part of it has no bound
 */
export function buildPatternGraph(pattern: string, flags: string): PatternGraph {
  return new GraphBuilder(flags).build(parser.parsePattern(pattern))
}

class GraphBuilder {
  readonly #flags: string
  readonly #steps: PatternStep[] = [{ kind: 'accept' }, { kind: 'dead' }]
  /** Groups that are being read, so that a backreference inside its own group does not recurse endlessly. */
  readonly #open = new Set<AST.CapturingGroup>()
  #count = 2
  #depth = 0

  constructor(flags: string) {
    this.#flags = flags
  }

  build(pattern: AST.Pattern): PatternGraph {
    const first = this.#alternatives(pattern.alternatives, 0, false)
    const any = findCharRanges('[^]', '')
    const { next: atStart } = this.#follow(first, true)
    const { next: later } = this.#follow(first, false)
    const states: State[] = [
      { chars: any, next: atStart.set(1, 1), accepts: false },
      { chars: any, next: later.set(1, 1), accepts: false },
    ]
    for (const step of this.#steps)
      if (step.kind === 'char') states[step.state] = { chars: step.chars, ...this.#follow(step.to, false) }
    return states
  }

  #add(step: PatternStep): number {
    if (this.#steps.push(step) > 4 * MAX_STATES) throw tooLarge()
    return this.#steps.length - 1
  }

  #alternatives(alternatives: readonly AST.Alternative[], then: number, isReversed: boolean): number {
    if (++this.#depth > MAX_DEPTH) throw new CostlyPatternError('its groups are nested too deep')
    const ways = alternatives.map(({ elements }) => {
      const order = isReversed ? elements : [...elements].reverse()
      return order.reduce((next, element) => this.#element(element, next, isReversed), then)
    })
    this.#depth--
    return ways.length === 1 ? ways[0] : this.#add({ kind: 'ways', to: ways })
  }

  /** @returns the step that reads `element` and continues with `then` */
  #element(element: AST.Element, then: number, isReversed: boolean): number {
    switch (element.type) {
      case 'Character':
        return this.#char(`\\u${element.value.toString(16).padStart(4, '0')}`, then)
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#char(element.raw, then)
      case 'Group':
        if (element.modifiers) throw new CostlyPatternError('it changes flags inside; write both cases explicitly')
        return this.#alternatives(element.alternatives, then, isReversed)
      case 'CapturingGroup':
        return this.#group(element, then, isReversed)
      case 'Backreference': {
        const groups = [element.resolved].flat().filter((group) => !this.#open.has(group))
        const ways = groups.map((group) => this.#group(group, then, isReversed))
        return this.#add({ kind: 'ways', to: ways.length > 0 ? ways : [then] })
      }
      case 'Quantifier':
        return this.#repeat(element, then, isReversed)
      case 'Assertion':
        return this.#assertion(element, then)
    }
  }

  #char(source: string, then: number): number {
    if (this.#count >= MAX_STATES) throw tooLarge()
    return this.#add({ kind: 'char', state: this.#count++, chars: findCharRanges(source, this.#flags), to: then })
  }

  #group(group: AST.CapturingGroup, then: number, isReversed: boolean): number {
    this.#open.add(group)
    const first = this.#alternatives(group.alternatives, then, isReversed)
    this.#open.delete(group)
    return first
  }

  #repeat({ element, min, max }: AST.Quantifier, then: number, isReversed: boolean): number {
    if (min > MAX_STATES || (max > MAX_STATES && max !== Number.POSITIVE_INFINITY)) throw tooLarge()
    let first = then
    if (max === Number.POSITIVE_INFINITY) {
      const loop: PatternStep = { kind: 'ways', to: [] }
      first = this.#add(loop)
      loop.to = [this.#element(element, first, isReversed), then]
    } else
      for (let i = min; i < max; i++)
        first = this.#add({ kind: 'ways', to: [this.#element(element, first, isReversed), then] })
    for (let i = 0; i < min; i++) first = this.#element(element, first, isReversed)
    return first
  }

  #assertion(element: AST.Assertion, then: number): number {
    if (element.kind === 'start') return this.#add({ kind: 'assert', isStart: true, to: then })
    const after = this.#add({ kind: 'assert', isStart: false, to: then })
    if (element.kind !== 'lookahead' && element.kind !== 'lookbehind') return after
    rejectOpenRepeats(element)
    const aside = this.#alternatives(element.alternatives, 1, element.kind === 'lookbehind')
    return this.#add({ kind: 'ways', to: [aside, after] })
  }

  /** Finds the states that may read the next character after a step. */
  #follow(from: number, isAtStart: boolean): { next: Map<number, number>; accepts: boolean } {
    const first = this.#steps[from]
    if (first.kind === 'char') return { next: new Map([[first.state, 1]]), accepts: false }
    const next = new Map<number, number>()
    const path = new Set<number>()
    let accepts = false
    let ways = 0
    const walk = (at: number, isCertain: boolean): void => {
      if (path.has(at)) return // The engine stops a repeat that has read nothing.
      if (++ways > MAX_EMPTY_WAYS) throw new CostlyPatternError('parts of it can match nothing in too many ways')
      const step = this.#steps[at]
      path.add(at)
      if (step.kind === 'char') next.set(step.state, (next.get(step.state) ?? 0) + 1)
      else if (step.kind === 'accept') accepts ||= isCertain
      else if (step.kind === 'ways') for (const way of step.to) walk(way, isCertain)
      else if (step.kind === 'assert' && (isAtStart || !step.isStart)) walk(step.to, isCertain && step.isStart)
      path.delete(at)
    }
    walk(from, true)
    return { next, accepts }
  }
}

function tooLarge(): CostlyPatternError {
  return new CostlyPatternError(
    `with its counted repeats expanded it has more than ${MAX_STATES} characters; use smaller counts`,
  )
}

/** Rejects repeats without a limit in a lookaround, which is tried at every position. A lookbehind must have a fixed length. */
function rejectOpenRepeats(element: AST.LookaroundAssertion): void {
  const hasRepeat = (node: AST.Element): boolean => {
    if (node.type === 'Quantifier') {
      const isFree = node.max === Number.POSITIVE_INFINITY || (element.kind === 'lookbehind' && node.min !== node.max)
      return isFree || hasRepeat(node.element)
    }
    if (node.type === 'Backreference') return true // Its group may repeat.
    return (
      'alternatives' in node && node.alternatives.some(({ elements }) => (elements as AST.Element[]).some(hasRepeat))
    )
  }
  if (element.alternatives.some(({ elements }) => elements.some(hasRepeat)))
    throw new CostlyPatternError(`its ${element.kind} repeats without a fixed limit; use a separate clause for it`)
}
