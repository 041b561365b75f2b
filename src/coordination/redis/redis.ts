import { nanoid } from 'nanoid'
import { type Boarding, CACHE_MS, isCacheable, type SharedState } from '../types.ts'
import { type ConnectionOptions, openConnection, type Reply } from './connection.ts'
import { entryKey, entryOf, fieldsOf, flightKey, outcomeKey } from './format.ts'
import { buildTakes } from './limit-batches.ts'
import { BOARD, LAND, OUTCOME, RENEW } from './scripts.ts'

/**
 * Counts, results and flights of all processes that use one Redis: a single server, with or without replicas, and not a
 * cluster, since one script touches keys of many callers. No secret is ever in it, its keys' names show no URL, and
 * everything in it expires by itself. Results hold the address of the site they are about.
 *
 * Resolves after a second at the latest, whether Redis is there or not. Calls reject while it is away, and wait as long as
 * Redis takes: put `withFallback` in front.
 */
export async function openRedis(options: ConnectionOptions): Promise<SharedState> {
  const connection = await openConnection(options)
  const { run } = connection
  return {
    get isUp() {
      return connection.isReady
    },

    take: buildTakes(run),

    async board(entry, { fresh, now }): Promise<Boarding> {
      const words = [nanoid(), fresh ? '1' : '0', `${now}`]
      const [role, ...rest] = (await run(BOARD, [entryKey(entry), flightKey(entry)], words)) as readonly Reply[]
      const found = role === 'done' ? entryOf(rest, now) : null
      if (found !== null) return { role: 'done', entry: found }
      return { role: role === 'lead' ? 'lead' : 'wait', token: `${rest[0]}` }
    },

    async renew(entry, token) {
      await run(RENEW, [flightKey(entry)], [token])
    },

    async outcomeOf(entry, token) {
      const reply = await run(OUTCOME, [flightKey(entry), outcomeKey(token)], [token])
      if (reply === null) return null
      return typeof reply === 'string' ? reply : 'gone'
    },

    async land(entry, token, { outcome, result }) {
      const isTooLarge = result !== null && !isCacheable(result)
      const kept = result === null || isTooLarge ? [] : [`${Math.ceil(result.at + CACHE_MS)}`, ...fieldsOf(result)]
      await run(
        LAND,
        [flightKey(entry), outcomeKey(token), entryKey(entry)],
        [token, isTooLarge ? '' : outcome, ...kept],
      )
    },

    close: () => connection.close(),
  }
}
