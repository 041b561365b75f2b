import { readFileSync } from 'node:fs'
import type { CDPSession } from 'playwright-core'

/** Interval at which the memory of the browser's processes is read. */
const INTERVAL_MS = 250

/**
 * Ends processes of pages that need too much memory; the browser goes on without them. It reads `/proc`, so that it works on Linux and
 * for a browser that this process has started.
 */
export class MemoryGuard {
  readonly #cdp: CDPSession
  readonly #maxBytes: number
  #timer: NodeJS.Timeout | undefined
  #pages = 0

  constructor(cdp: CDPSession, maxBytes: number) {
    this.#cdp = cdp
    this.#maxBytes = maxBytes
  }

  /** Watches as long as a page is open. @returns a function that ends it for this page */
  watch(): () => void {
    this.#pages++
    this.#timer ??= setInterval(() => void this.#check(), INTERVAL_MS)
    return () => {
      this.#pages--
      if (this.#pages > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #check(): Promise<void> {
    try {
      const { processInfo } = await this.#cdp.send('SystemInfo.getProcessInfo')
      for (const { type, id } of processInfo)
        if (type === 'renderer' && readMemory(id) > this.#maxBytes) process.kill(id, 'SIGKILL')
    } catch {
      // The browser has ended, or the process: there is nothing to watch.
    }
  }
}

/** Reads the resident memory of a process in bytes; 0 if it does not exist, and where there is no `/proc`. */
function readMemory(id: number): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
    return Number(kilobytes) * 1024
  } catch {
    return 0
  }
}
