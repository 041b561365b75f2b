/** The value of a function at a point, and its gradient there. */
export interface Valuation {
  readonly value: number
  readonly slope: Float64Array
}

/** Conditions that end the search. */
export interface SearchLimits {
  readonly maxSteps: number
  /** The search ends when a step lowers the value by less than this share of it. */
  readonly minGain: number
}

/** Steps that L-BFGS remembers. */
const MEMORY = 12
/** Share of the decrease promised by the slope that a step must achieve (Armijo). */
const MIN_DECREASE = 1e-4
const MAX_HALVINGS = 30

/** A step of the search, and how it changed the slope. */
interface SearchStep {
  readonly move: Float64Array
  readonly change: Float64Array
  /** 1 divided by their product. */
  readonly scale: number
}

/**
 * Finds the minimum of a convex function with L-BFGS (Nocedal and Wright, Numerical Optimization, algorithm 7.5) and a
 * backtracking line search. It uses no random numbers: equal functions give equal results.
 * @param start is not changed
 */
export function minimize(
  evaluate: (point: Float64Array) => Valuation,
  start: Float64Array,
  { maxSteps, minGain }: SearchLimits,
): Float64Array {
  let point = start
  let at = evaluate(point)
  const memory: SearchStep[] = []
  for (let step = 0; step < maxSteps; step++) {
    const direction = findDirection(at.slope, memory)
    const promised = multiply(direction, at.slope)
    if (promised >= 0) break
    let length = memory.length === 0 ? Math.min(1, 1 / Math.sqrt(multiply(at.slope, at.slope))) : 1
    let next = move(point, direction, length)
    let there = evaluate(next)
    for (let i = 0; i < MAX_HALVINGS && there.value > at.value + MIN_DECREASE * length * promised; i++) {
      length /= 2
      next = move(point, direction, length)
      there = evaluate(next)
    }
    const gain = at.value - there.value
    remember(memory, { from: point, to: next, before: at.slope, after: there.slope })
    point = next
    at = there
    if (gain < minGain * Math.abs(at.value)) break
  }
  return point
}

function findDirection(slope: Float64Array, memory: readonly SearchStep[]): Float64Array {
  const direction = slope.map((value) => -value)
  const factors: number[] = []
  for (const { move: moved, change, scale } of memory.toReversed()) {
    const factor = scale * multiply(moved, direction)
    factors.push(factor)
    add(direction, change, -factor)
  }
  const last = memory.at(-1)
  if (last !== undefined) {
    const size = 1 / (last.scale * multiply(last.change, last.change))
    for (let i = 0; i < direction.length; i++) direction[i] *= size
  }
  for (const { move: moved, change, scale } of memory)
    add(direction, moved, (factors.pop() ?? 0) - scale * multiply(change, direction))
  return direction
}

function remember(
  memory: SearchStep[],
  { from, to, before, after }: Readonly<Record<'from' | 'to' | 'before' | 'after', Float64Array>>,
): void {
  const moved = to.map((value, i) => value - from[i])
  const change = after.map((value, i) => value - before[i])
  const product = multiply(moved, change)
  if (product <= 1e-12) return
  memory.push({ move: moved, change, scale: 1 / product })
  if (memory.length > MEMORY) memory.shift()
}

function move(point: Float64Array, direction: Float64Array, length: number): Float64Array {
  return point.map((value, i) => value + length * direction[i])
}

function add(target: Float64Array, other: Float64Array, factor: number): void {
  for (let i = 0; i < target.length; i++) target[i] += factor * other[i]
}

function multiply(a: Float64Array, b: Float64Array): number {
  let total = 0
  for (let i = 0; i < a.length; i++) total += a[i] * b[i]
  return total
}
