import { nanoid } from 'nanoid'
import { type Acquisition, computeExpiry, isCacheable, type SharedState } from '../types.ts'
import { type ConnectionOptions, openConnection, type Reply } from './connection.ts'
import { buildEntryKey, buildLockKey, buildOutcomeKey, formatFields, parseEntry } from './format.ts'
import { buildRequestCounter } from './limit-batches.ts'
import { rememberExtras } from './remember-extras.ts'
import { ACQUIRE, COMPLETE, DELETE_ENTRY, READ_OUTCOME, READ_TIME, RENEW } from './scripts.ts'

/** What operators' commands also do with a Redis. */
export interface RedisState extends SharedState {
  /** Deletes a cached result on all nodes. @returns false if there is none */
  deleteEntry(entry: string): Promise<boolean>
  /** The time of the server's clock. */
  readClock(): Promise<Date>
}

/**
 * Counts, results and locks of all processes that share one Redis: a single server, with or without replicas. A cluster is
 * not supported, because one script uses the keys of many clients. Redis never contains a secret, the names of its keys
 * contain no URL, and everything in it expires. Cached results contain the address of the scanned site.
 *
 * Resolves after a second at the latest, even if Redis cannot be reached. Calls reject while it is down and otherwise wait
 * as long as Redis takes, so wrap the result with `withFallback`.
 */
export async function openRedis(options: ConnectionOptions): Promise<RedisState> {
  const connection = await openConnection(options)
  const { run } = connection
  return {
    get isUp() {
      return connection.isReady
    },

    countRequest: rememberExtras(buildRequestCounter(run)),

    async acquire(entry, { fresh, now }): Promise<Acquisition> {
      const args = [nanoid(), fresh ? '1' : '0', `${now}`]
      const reply = (await run(ACQUIRE, [buildEntryKey(entry), buildLockKey(entry)], args)) as readonly Reply[]
      const [role, ...rest] = reply
      const found = role === 'done' ? parseEntry(rest, now) : null
      if (found !== null) return { role: 'done', entry: found }
      return { role: role === 'lead' ? 'lead' : 'wait', token: `${rest[0]}` }
    },

    async renew(entry, token) {
      await run(RENEW, [buildLockKey(entry)], [token])
    },

    async readOutcome(entry, token) {
      const reply = await run(READ_OUTCOME, [buildLockKey(entry), buildOutcomeKey(token)], [token])
      if (reply === null) return null
      return typeof reply === 'string' ? reply : 'gone'
    },

    async complete(entry, token, { outcome, result }) {
      const isTooLarge = result !== null && !isCacheable(result)
      const stored =
        result === null || isTooLarge ? [] : [`${Math.ceil(computeExpiry(result))}`, ...formatFields(result)]
      const keys = [buildLockKey(entry), buildOutcomeKey(token), buildEntryKey(entry)]
      await run(COMPLETE, keys, [token, isTooLarge ? '' : outcome, ...stored])
    },

    async deleteEntry(entry) {
      return (await run(DELETE_ENTRY, [buildEntryKey(entry)], [])) === 1
    },

    async readClock() {
      const [seconds, microseconds] = (await run(READ_TIME, [], [])) as readonly Reply[]
      return new Date(Number(seconds) * 1000 + Number(microseconds) / 1000)
    },

    close: () => connection.close(),
  }
}
