import { expect } from 'vitest'

// Taken before a test can replace it by a fake timer. `expect.poll` would move fake timers on with each of its calls.
const { setTimeout } = globalThis

/** Waits until `read` returns the expected value; up to 30 s, for a machine under load. */
export async function until<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  const late = AbortSignal.timeout(30_000)
  for (;;) {
    const value = await read()
    if (late.aborted) expect(value).toEqual(wanted)
    try {
      expect(value).toEqual(wanted)
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
