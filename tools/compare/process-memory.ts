import { readFileSync } from 'node:fs'

/**
 * Reads the largest resident memory of a process and of its running children so far, in MiB, from /proc (Linux).
 * @returns 0 where there is no /proc, or after the process has ended
 */
export function readMemoryPeak(pid: number): number {
  const status = readText(`/proc/${pid}/status`)
  const own = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024
  const children = readText(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)
  return children.reduce((sum, child) => sum + readMemoryPeak(Number(child)), own)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
