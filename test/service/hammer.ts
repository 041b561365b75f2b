import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** Results of a load. */
export interface Tally {
  /** Number of requests by outcome: the status, `status code` for errors, or the error of the connection. */
  readonly counts: Readonly<Record<string, number>>
  /** Slowest and median response time in milliseconds. */
  readonly worstMs: number
  readonly medianMs: number
}

interface LoadOptions {
  readonly clients: number
  /** Returns the path of the n-th request. */
  readonly path: (n: number) => string
  readonly key: string
  /** Ends the load: no more requests are sent. */
  readonly signal: AbortSignal
  /** Pause between two requests of one client, in milliseconds. */
  readonly pauseMs?: number
}

/** Applies a load from before an event until after it. */
export async function loadDuring(
  url: string,
  options: Omit<LoadOptions, 'signal'>,
  event: () => Promise<unknown>,
): Promise<Tally> {
  const over = new AbortController()
  const tally = load(url, { ...options, signal: over.signal })
  await event()
  over.abort()
  return tally
}

/** Sends requests from several clients on kept-alive connections until the signal aborts or the port is closed. */
export async function load(url: string, options: LoadOptions): Promise<Tally> {
  const { clients, path, key, signal, pauseMs = 0 } = options
  const pool = new Pool(url, { connections: clients, pipelining: 1 })
  const outcomes: string[] = []
  const times: number[] = []
  let n = 0
  const ask = async (): Promise<string> => {
    const began = performance.now()
    try {
      const { statusCode, body } = await pool.request({ method: 'GET', path: path(n++), headers: { 'x-api-key': key } })
      const answer = (await body.json()) as { code?: string }
      times.push(performance.now() - began)
      return answer.code === undefined ? `${statusCode}` : `${statusCode} ${answer.code}`
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      return code || message
    }
  }
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      const outcome = await ask()
      outcomes.push(outcome)
      if (outcome === 'ECONNREFUSED') return
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await pool.close()
  times.sort((a, b) => a - b)
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return { counts, worstMs: times.at(-1) ?? 0, medianMs: times[times.length >> 1] ?? 0 }
}
