import { expect } from 'vitest'

/** Waits until `read` returns the expected value; up to 30 s, for a machine under load. */
export async function until<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  await expect.poll(read, { timeout: 30_000, interval: 10 }).toEqual(wanted)
}
