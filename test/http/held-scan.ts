import { ScanError } from '../../src/errors.ts'
import type { LiveScan } from '../../src/scan/scanner.ts'
import { sampleScan } from '../support/sample-scan.ts'

interface End {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** A scan, for any number of hosts, that ends when a test wants it to. */
export interface HeldScan {
  readonly scan: (url: string) => Promise<LiveScan>
  /** Scans under way. */
  readonly count: () => number
  readonly land: () => void
  readonly fail: () => void
}

export function heldScan(): HeldScan {
  let ends: End[] = []
  const end = (how: (one: End) => void): void => {
    const all = ends
    ends = []
    for (const one of all) how(one)
  }
  return {
    scan: async (url) => {
      await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
      return sampleScan(url)
    },
    count: () => ends.length,
    land: () => end(({ resolve }) => resolve()),
    fail: () => end(({ reject }) => reject(new ScanError('tls_invalid'))),
  }
}
