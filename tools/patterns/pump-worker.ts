import { parentPort } from 'node:worker_threads'
import { buildPumpTexts, type PumpText, pumpTo } from './pump-texts.ts'

/** A pattern to try, and texts in addition to those from its structure. */
export interface PumpTask {
  readonly pattern: string
  readonly flags: string
  readonly more: readonly PumpText[]
}

/** A text on which a pattern takes more than linear time. */
export interface SuperLinear {
  readonly text: PumpText
  readonly length: number
  readonly ms: number
  /** Time at an eighth of the length. */
  readonly msBefore: number
}

const LENGTHS = [1024, 8 * 1024, 64 * 1024] as const
const RUNS = 5
/** Shorter times are noise of the clock and the compiler. */
const COUNTED_MS = 0.2
/**
 * Eight times the text of a quadratic pattern takes 64 times as long. What is linear has been seen to take 18 times as long, because the
 * longer text no longer fits into a cache.
 */
const MAX_GROWTH = 3
/** A run that takes this long, and four times as long as it may, is not slow by chance: it is not repeated. */
const CLEAR_MS = 100
/** Number of times that a text must be slow. */
const PROOFS = 3

parentPort?.on('message', (task: PumpTask) => parentPort?.postMessage(findSuperLinear(task)))

/** Tries a pattern on its pump texts; null if its time grows at most three times as fast as the length. */
export function findSuperLinear({ pattern, flags, more }: PumpTask): SuperLinear | null {
  const compiled = new RegExp(pattern, flags)
  for (const text of [...buildPumpTexts(pattern, flags), ...more]) {
    let found = findGrowth(compiled, text)
    // A busy machine can be slow once or twice.
    for (let again = 1; found !== null && again < PROOFS; again++) found = findGrowth(compiled, text)
    if (found !== null) return found
  }
  return null
}

/** Runs a pattern on longer and longer texts until one takes too long compared with the previous one. */
function findGrowth(pattern: RegExp, text: PumpText): SuperLinear | null {
  let [before, lengthBefore] = [Number.POSITIVE_INFINITY, 1]
  for (const length of LENGTHS) {
    const pumped = pumpTo(text, length)
    const limit = Math.max(COUNTED_MS, MAX_GROWTH * (pumped.length / lengthBefore) * before)
    const ms = measureBestTime(pattern, pumped, limit)
    if (ms > limit) return { text, length, ms, msBefore: before }
    before = Math.max(ms, COUNTED_MS)
    lengthBefore = pumped.length
  }
  return null
}

/** Measures the best of five runs. Stops after a run that is too fast to measure, or far too slow for the limit. */
function measureBestTime(pattern: RegExp, text: string, limit: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS && best > COUNTED_MS; run++) {
    const ms = measure(() => apply(pattern, text))
    best = Math.min(best, ms)
    if (ms > Math.max(CLEAR_MS, 4 * limit)) break
  }
  return best
}

/** Measures a call in milliseconds: its duration or, if other processes took the processor meanwhile, the processor time of this one. */
function measure(call: () => void): number {
  const [started, before] = [performance.now(), process.cpuUsage()]
  call()
  const { user, system } = process.cpuUsage(before)
  return Math.min(performance.now() - started, (user + system) / 1000)
}

/** Runs a pattern. A global pattern processes the whole text, as `replace` and `matchAll` do. */
function apply(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0
  if (pattern.global) text.replace(pattern, '')
  else pattern.test(text)
}
