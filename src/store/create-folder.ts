import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder that only its owner can access, including missing parents. An existing folder stays unchanged. Replaces
 * Node's `recursive` option, which never returns if the parent exists but cannot contain folders (`/proc/x`; Node 20.20).
 * @throws a system error
 */
export function createFolder(folder: string): void {
  if (tryCreate(folder)) return
  createFolder(dirname(folder))
  tryCreate(folder) // Another process may have created it meanwhile.
}

/** @returns false if the parent is missing */
function tryCreate(folder: string): boolean {
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
