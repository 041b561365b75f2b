import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder for its owner alone, with those above it that are missing; one that is there stays as it is. Node's own
 * `recursive` never ends where a parent is there and takes no folders (`/proc/x`; Node 20.20).
 * @throws a system error
 */
export function makeFolder(folder: string): void {
  if (tryMake(folder)) return
  makeFolder(dirname(folder))
  tryMake(folder) // Another process may have been faster.
}

/** @returns false when the parent is missing */
function tryMake(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return true
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    return false
  }
}
