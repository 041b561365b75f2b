import { type CharRanges, doRangesOverlap } from './char-ranges.ts'
import { CostlyPatternError, LATER_START, type PatternGraph, type State } from './pattern-graph.ts'

/** Maximum number of attempts that reach one state with the same text. `(?:a|b|ab){0,9}` has many. */
const MAX_WAYS = 16
/** Maximum number of comparisons per character of a text. A pattern at this limit takes about half a second on a page of 4 MiB. */
const MAX_STEPS = 32
/** Maximum number of character pairs that the proof examines, about 50 ms. */
const MAX_PAIRS = 1_000_000

const AMBIGUOUS =
  'parts that match the same characters follow or contain each other; begin each repeat, option or alternative with a character that the others cannot match'
const RESTARTS =
  'the part that repeats also matches what the pattern begins with, so that every position begins a long attempt; exclude that character from the repeat, or begin with ^'

/**
 * Proves that a backtracking engine compares at most a fixed number of characters per character of any text, and returns
 * that number. It includes all attempts from all positions of the text.
 *
 * Two states are concurrent if one text can lead to both. The attempts that arrive at a state come from its concurrent
 * predecessors. Their number grows without limit exactly where attempts multiply, as in `(a+)+` or, over all starting
 * positions, in `q[a-z]*!`.
 * @throws CostlyPatternError if there is no proof. It says what to change.
 */
export function measurePattern(graph: PatternGraph): number {
  const states = cutTail(graph)
  const concurrent = findConcurrent(states)
  const ways = countWays(states, concurrent)
  if (ways === null) throw new CostlyPatternError(isAmbiguousAlone(states) ? AMBIGUOUS : RESTARTS)
  const weights = states.map((state, at) => ways[at] * countNextWays(state))
  let most = weighGroups([...states.keys()], weights, concurrent)
  if (most > MAX_STEPS) {
    // One bound for all states is too coarse. Every set of concurrent states consists of one state and states concurrent with it.
    const each = [...concurrent.entries()].filter(([at]) => at > LATER_START)
    most = Math.max(...each.map(([at, others]) => weights[at] + weighGroups([...others], weights, concurrent)))
  }
  if (most <= MAX_STEPS) return most
  throw new CostlyPatternError(
    `it may compare more than ${MAX_STEPS} characters per character of a page; use smaller counts or fewer alternatives`,
  )
}

/**
 * Upper bound of the weight of concurrent states. States are put into groups within which no two are concurrent, so that only
 * one of each group counts. Stops above `MAX_STEPS`.
 */
function weighGroups(
  among: readonly number[],
  weights: readonly number[],
  concurrent: readonly ReadonlySet<number>[],
): number {
  /** Largest weight in each group. */
  const heaviest: number[] = []
  const groups = new Map<number, number>()
  let sum = 0
  for (const at of among) {
    const taken = new Set<number | undefined>()
    for (const other of concurrent[at]) taken.add(groups.get(other))
    let group = 0
    while (taken.has(group)) group++
    groups.set(at, group)
    const more = Math.max(0, weights[at] - (heaviest[group] ?? 0))
    sum += more
    if (sum > MAX_STEPS) return sum
    heaviest[group] = (heaviest[group] ?? 0) + more
  }
  return sum
}

/** Whether attempts multiply even if they all start at a single position. */
function isAmbiguousAlone(states: PatternGraph): boolean {
  const alone = states.map((state, at) => (at === LATER_START ? { ...state, next: new Map() } : state))
  const first = new Map([...states[0].next, ...states[LATER_START].next])
  const anchored = [{ ...states[0], next: first }, ...alone.slice(1)]
  return countWays(anchored, findConcurrent(anchored)) === null
}

function countNextWays({ next }: State): number {
  let degree = 0
  for (const ways of next.values()) degree += ways
  return degree
}

/**
 * Removes what follows an accepting state. Once the end of a pattern is reached, the attempt succeeds and is the last one: in
 * `v[\d.]+` the first digit decides. This holds if the rest is a single repeat of characters, which cannot fail.
 */
function cutTail(states: PatternGraph): PatternGraph {
  const tail = new Set([...states.keys()].filter((at) => states[at].accepts && countNextWays(states[at]) <= 1))
  for (let size = -1; size !== tail.size; ) {
    size = tail.size
    for (const at of tail) for (const next of states[at].next.keys()) if (!tail.has(next)) tail.delete(at)
  }
  return states.map((state, at) => (tail.has(at) ? { ...state, next: new Map() } : state))
}

/** State → the other states that the same text can lead to. */
function findConcurrent(states: readonly State[]): readonly ReadonlySet<number>[] {
  const concurrent = states.map(() => new Set<number>())
  const following = states.map(({ next }) => [...next.keys()])
  const doMeet = buildOverlaps(states)
  const isSeen = new Uint8Array(states.length * states.length)
  const queue = [0] // A pair of states is one number: smaller state × number of states + larger state.
  let examined = 0
  for (const pair of queue)
    for (const a of following[Math.floor(pair / states.length)])
      for (const b of following[pair % states.length]) {
        if (++examined > MAX_PAIRS)
          throw new CostlyPatternError('it has too many alternatives and repeats at one position; use fewer')
        const met = Math.min(a, b) * states.length + Math.max(a, b)
        if (isSeen[met] === 1 || !doMeet(a, b)) continue
        isSeen[met] = 1
        queue.push(met)
        if (a === b) continue
        concurrent[a].add(b)
        concurrent[b].add(a)
      }
  return concurrent
}

/** Returns a function that says whether two states can read a common character. Two sets are compared once, when first needed. */
function buildOverlaps(states: readonly State[]): (a: number, b: number) => boolean {
  const sets = [...new Set(states.map(({ chars }) => chars))]
  const numbers = new Map<CharRanges, number>(sets.map((set, i) => [set, i]))
  const setOf = states.map(({ chars }) => numbers.get(chars) as number)
  /** By two sets: 1 if they overlap, 2 if not, 0 if they were not compared. */
  const known = new Uint8Array(sets.length * sets.length)
  return (a, b) => {
    const at = setOf[a] * sets.length + setOf[b]
    if (known[at] === 0) known[at] = doRangesOverlap(states[a].chars, states[b].chars) ? 1 : 2
    return known[at] === 1
  }
}

/** Upper bound of the attempts that arrive at each state with one text; null if it exceeds `MAX_WAYS`. */
function countWays(states: readonly State[], concurrent: readonly ReadonlySet<number>[]): readonly number[] | null {
  const ways = states.map(() => 1)
  const before = states.map((): [state: number, ways: number][] => [])
  for (const [at, { next }] of states.entries()) for (const [to, count] of next) before[to].push([at, count])
  const queue = new Set(states.keys())
  for (const at of queue) {
    queue.delete(at)
    const most = countArriving(before[at], ways, concurrent)
    if (most <= ways[at]) continue
    if (most > MAX_WAYS) return null
    ways[at] = most
    for (const to of states[at].next.keys()) queue.add(to)
  }
  return ways
}

/** The largest sum over predecessors that are concurrent with one of them. Every set of states that one text leads to is part of such a set. */
function countArriving(
  before: readonly (readonly [state: number, ways: number])[],
  ways: readonly number[],
  concurrent: readonly ReadonlySet<number>[],
): number {
  let most = 1
  for (const [one] of before) {
    let sum = 0
    for (const [other, count] of before) if (other === one || concurrent[one].has(other)) sum += count * ways[other]
    most = Math.max(most, sum)
  }
  return most
}
