import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'

/** Lists sockets and timers of this process. */
export function openHandles(): string[] {
  const files = process.platform === 'linux' ? readdirSync('/proc/self/fd') : []
  const sockets = files.flatMap((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).match(/^socket:.*/)?.[0] ?? []
    } catch {
      return [] // The handle that listed the folder is already closed.
    }
  })
  return [...sockets, ...process.getActiveResourcesInfo()].sort()
}

/** Lists the handles that were opened since. */
export function openedSince(before: readonly string[]): string[] {
  const rest = [...before]
  return openHandles().filter((handle) => !rest.includes(handle) || !rest.splice(rest.indexOf(handle), 1))
}

/** The time that a machine under load may need to close a handle. */
const PATIENCE_MS = 30_000

/** Expects that every handle opened since is closed. Waits without a timer, which would count as open. */
export async function nothingOpenedSince(before: readonly string[]): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  while (openedSince(before).length > 0 && performance.now() < until) await setImmediate()
  expect(openedSince(before)).toEqual([])
}
