import { onTestFinished, vi } from 'vitest'

/** The time that `performance.now()` returns, in milliseconds. */
export interface SteadyClock {
  now: number
}

/** Replaces `performance.now()` for the current test by a clock that only the test moves. Timers stay as they are. */
export function useSteadyClock(now = 1000): SteadyClock {
  const clock = { now }
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock.now)
  onTestFinished(() => spy.mockRestore())
  return clock
}
