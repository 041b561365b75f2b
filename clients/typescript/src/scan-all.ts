import { ConnectionError, SiteprintError } from './errors.ts'
import type { ScanAllOptions, ScanOutcome } from './scan-options.ts'
import type { ScanResult } from './schema.ts'

type Scan = (url: string, signal: AbortSignal) => Promise<ScanResult>

/**
 * Scans many URLs, several at a time, and yields each outcome as soon as it is known. Ending the iteration early
 * cancels pending requests.
 */
export async function* scanAll(
  scan: Scan,
  urls: Iterable<string> | AsyncIterable<string>,
  { concurrency = 8, signal }: ScanAllOptions,
): AsyncGenerator<ScanOutcome> {
  const source = Symbol.asyncIterator in urls ? urls[Symbol.asyncIterator]() : urls[Symbol.iterator]()
  const stop = new AbortController()
  const cancel = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  const running = new Map<symbol, Promise<readonly [id: symbol, outcome: ScanOutcome]>>()
  let isDone = false
  try {
    for (;;) {
      while (!isDone && running.size < concurrency) {
        const next = await source.next()
        if (next.done) isDone = true
        else {
          const id = Symbol()
          running.set(
            id,
            scanOne(scan, next.value, cancel).then((outcome) => [id, outcome]),
          )
        }
      }
      if (running.size === 0) return
      const [id, outcome] = await Promise.race(running.values())
      running.delete(id)
      yield outcome
    }
  } finally {
    stop.abort()
    if (!isDone) await source.return?.()
    for (const one of running.values()) one.catch(() => {})
  }
}

/** @throws errors that every later scan would have too */
async function scanOne(scan: Scan, url: string, signal: AbortSignal): Promise<ScanOutcome> {
  try {
    return { url, result: await scan(url, signal), error: null }
  } catch (error) {
    const isOfScan = error instanceof SiteprintError && error.status !== 401 && error.code !== 'quota_exceeded'
    if (isOfScan || error instanceof ConnectionError) return { url, result: null, error }
    throw error
  }
}
