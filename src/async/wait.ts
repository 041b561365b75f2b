import { createDeferred } from './deferred.ts'
import { raceSignal } from './race-signal.ts'

/** Waits for a time and leaves no timer. @throws the signal's reason when it aborts */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = createDeferred<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await raceSignal(promise, signal)
  } finally {
    clearTimeout(timer)
  }
}
