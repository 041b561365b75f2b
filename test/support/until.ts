import { expect } from 'vitest'

/** Waits until something is as wanted, a while on a busy machine. */
export async function until<T>(read: () => T | Promise<T>, wanted: T): Promise<void> {
  await expect.poll(read, { timeout: 30_000, interval: 10 }).toEqual(wanted)
}
