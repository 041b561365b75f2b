import { readdirSync, readlinkSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'

/** Sockets and timers of this process. */
export function openHandles(): string[] {
  const files = process.platform === 'linux' ? readdirSync('/proc/self/fd') : []
  const sockets = files.flatMap((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).match(/^socket:.*/)?.[0] ?? []
    } catch {
      return [] // The folder's own handle is closed by now.
    }
  })
  return [...sockets, ...process.getActiveResourcesInfo()].sort()
}

/** What is open now and was not before. */
export function openedSince(before: readonly string[]): string[] {
  const rest = [...before]
  return openHandles().filter((handle) => !rest.includes(handle) || !rest.splice(rest.indexOf(handle), 1))
}

/** Waits a little, without a timer of its own: what ends by itself later counts as open. */
export async function nothingOpenedSince(before: readonly string[]): Promise<void> {
  const until = performance.now() + 300
  while (openedSince(before).length > 0 && performance.now() < until) await setImmediate()
  expect(openedSince(before)).toEqual([])
}
