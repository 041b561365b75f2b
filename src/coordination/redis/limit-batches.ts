import type { Take, Taken } from '../types.ts'
import type { Reply, Run } from './connection.ts'
import { entryKey, entryOf, minuteKey } from './format.ts'
import { TAKE } from './scripts.ts'

/** Items of one script: Redis does nothing else until it ends. */
const MAX_BATCH = 500

interface Waiting {
  readonly take: Take
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: unknown) => void
}

/**
 * Counts and looks up: all takes of one turn of the event loop go as one script, as a round trip costs this process more
 * than all else it does for a request.
 */
export function buildTakes(run: Run): (take: Take) => Promise<Taken> {
  let batch: Waiting[] = []
  const send = (): void => {
    const sent = batch
    batch = []
    if (sent.length > 0) void settle(run, sent)
  }
  return (take) =>
    new Promise((resolve, reject) => {
      // After the sockets of this turn: each of them may bring requests.
      if (batch.length === 0) setImmediate(send)
      batch.push({ take, resolve, reject })
      if (batch.length === MAX_BATCH) send()
    })
}

/** Never rejects: each item is told. */
async function settle(run: Run, batch: readonly Waiting[]): Promise<void> {
  try {
    const keys: string[] = []
    let items = ''
    for (const { take } of batch) {
      keys.push(minuteKey(take.counter, take.now))
      if (take.entry !== undefined) keys.push(entryKey(take.entry))
      items += take.cost + (take.entry === undefined ? 0 : take.extras === true ? 6 : 2)
    }
    const reply = (await run(TAKE, keys, [items])) as readonly Reply[]
    for (const [i, { take, resolve }] of batch.entries()) {
      resolve({ count: Number(reply[2 * i]), entry: entryOf(reply[2 * i + 1], take.now) })
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
