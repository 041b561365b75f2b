import { ScanError } from '../../src/errors.ts'
import type { LiveScan } from '../../src/scan/scanner.ts'
import { sampleScan } from '../support/sample-scan.ts'

interface Continuation {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** A scan function, for any number of apps, whose scans end when the test says so. */
export interface PausedScan {
  readonly scan: (url: string) => Promise<LiveScan>
  /** Returns the number of running scans. */
  readonly count: () => number
  /** Lets all running scans succeed. */
  readonly complete: () => void
  /** Makes all running scans fail. */
  readonly fail: () => void
}

export function pauseScans(): PausedScan {
  let paused: Continuation[] = []
  const end = (how: (one: Continuation) => void): void => {
    const all = paused
    paused = []
    for (const one of all) how(one)
  }
  return {
    scan: async (url) => {
      await new Promise<void>((resolve, reject) => paused.push({ resolve, reject }))
      return sampleScan(url)
    },
    count: () => paused.length,
    complete: () => end(({ resolve }) => resolve()),
    fail: () => end(({ reject }) => reject(new ScanError('tls_invalid'))),
  }
}
