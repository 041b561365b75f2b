import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** The lowest priority: processes of the browser run when no other process of the machine wants the processor. */
const PRIORITY = constants.priority.PRIORITY_LOW

/**
 * Gives a process and its children the lowest priority, so that pages in the browser do not slow down scans of other pages. Processes that
 * they start later inherit it. Without `/proc`, only the process itself is known.
 */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch {
    return // It has ended already.
  }
  for (const child of listChildren(pid)) lowerPriority(child)
}

function listChildren(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
