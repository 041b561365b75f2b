import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** What happened to the requests of a load. */
export interface Tally {
  /** By what came of them: the status, `status code` for errors, or the error of the connection. */
  readonly counts: Readonly<Record<string, number>>
  /** How long the slowest took that was answered, in milliseconds, and the middle one. */
  readonly worstMs: number
  readonly medianMs: number
}

interface LoadOptions {
  readonly clients: number
  /** The path of the n-th request. */
  readonly path: (n: number) => string
  readonly key: string
  /** Ends the load: nothing new is asked for then. */
  readonly signal: AbortSignal
  /** Between two requests of one client. */
  readonly pauseMs?: number
}

/** A load that begins before something happens and ends after it. */
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

/** Clients that ask again and again on connections they keep, until they are told to end or nobody listens any more. */
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
