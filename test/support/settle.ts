import { vi } from 'vitest'

/** Waits for a promise, and moves the fake clock to the next timer as long as the promise is pending. */
export async function settle<T>(promise: Promise<T>): Promise<T> {
  let isPending = true
  const end = (): void => {
    isPending = false
  }
  promise.then(end, end)
  while (isPending) await vi.advanceTimersToNextTimerAsync()
  return promise
}
