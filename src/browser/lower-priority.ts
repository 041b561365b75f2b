import { readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

/** A low priority: about a tenth of a processor that another process wants. With the lowest one, a busy machine would render nothing. */
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * Gives a process and its children a low priority, so that pages in the browser do not slow down scans of other pages. Processes that
 * they start later inherit it. Without `/proc`, only the process itself is known.
 */
export function lowerPriority(pid: number): void {
  lowerGroup(pid)
  lowerProcesses(pid)
}

/**
 * Linux may divide the processor between sessions before it looks at the priority of processes (sched(7), autogroup). The browser has a
 * session of its own.
 */
function lowerGroup(pid: number): void {
  const [own, other] = [readGroup('self'), readGroup(pid)]
  if (other === null || other === own) return
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY))
  } catch {
    // The system refuses it, or the browser has ended.
  }
}

/** Reads the name of the group of a process: `/autogroup-12 nice 0`; null without such groups. */
function readGroup(pid: number | 'self'): string | null {
  try {
    return readFileSync(`/proc/${pid}/autogroup`, 'utf8').split(' ', 1)[0]
  } catch {
    return null
  }
}

function lowerProcesses(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
  } catch {
    return // It has ended already.
  }
  for (const child of listChildren(pid)) lowerProcesses(child)
}

function listChildren(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
