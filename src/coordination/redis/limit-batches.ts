import DataLoader from 'dataloader'
import type { LimitQuery, LimitResult } from '../types.ts'
import type { Reply, RunScript } from './connection.ts'
import { buildCountKey, buildEntryKey, parseEntry } from './format.ts'
import { COUNT, formatItem } from './scripts.ts'

/** Maximum number of queries in one script. Redis runs nothing else until the script ends. */
const MAX_BATCH_SIZE = 500

/**
 * Counts requests and looks up entries. All queries of one turn of the event loop are sent as one script, because a round
 * trip costs this process more than all other work for a request.
 */
export function buildRequestCounter(run: RunScript): (query: LimitQuery) => Promise<LimitResult> {
  const loader = new DataLoader<LimitQuery, LimitResult>((queries) => sendBatch(run, queries), {
    cache: false, // Sent after the sockets of this turn have been read, because each of them may bring requests.
    batchScheduleFn: (send) => void setImmediate(send),
    maxBatchSize: MAX_BATCH_SIZE,
  })
  return (query) => loader.load(query)
}

async function sendBatch(run: RunScript, queries: readonly LimitQuery[]): Promise<LimitResult[]> {
  const keys: string[] = []
  let items = ''
  for (const { counter, now, window = 'minute', cost, entry, extras } of queries) {
    keys.push(buildCountKey(counter, now, window))
    if (entry !== undefined) keys.push(buildEntryKey(entry))
    items += formatItem(cost + (entry === undefined ? 0 : extras === true ? 6 : 2) + (window === 'day' ? 8 : 0))
  }
  const reply = (await run(COUNT, keys, [items])) as readonly Reply[]
  return queries.map(({ now }, i) => ({ count: Number(reply[2 * i]), entry: parseEntry(reply[2 * i + 1], now) }))
}
