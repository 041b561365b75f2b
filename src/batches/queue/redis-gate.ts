import { createHash, randomBytes } from 'node:crypto'
import type { RunScript } from '../../coordination/redis/connection.ts'
import { buildScript } from '../../coordination/redis/scripts.ts'
import { HOST_PAUSE_MS, type HostGate } from '../host-gate.ts'

/** Life of the lease of a host. No scan takes longer, and a host whose worker was killed is free after this time. */
const LEASE_MS = 30_000
/** Wait while the host is being scanned, in milliseconds. */
const BUSY_MS = 250
/** Wait while Redis does not answer, in milliseconds. */
const AWAY_MS = 1000

/** KEYS: lease, pause. ARGV: token, life of the lease, pause. Returns 0 for a lease, or milliseconds to wait. */
const ENTER = buildScript(`
local pause = redis.call('PTTL', KEYS[2])
if redis.call('EXISTS', KEYS[1]) == 1 then return math.max(pause, ${BUSY_MS}) end
if pause > 0 then return pause end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], '', 'PX', ARGV[3])
return 0`)

/** KEYS: lease. ARGV: token. */
const LEAVE = buildScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`)

/** The gate of all workers that share a Redis. Names of keys contain hashes of hosts. @param pauseMs between two starts */
export function openRedisGate(run: RunScript, pauseMs = HOST_PAUSE_MS): HostGate {
  return {
    async enter(host) {
      const name = createHash('sha256').update(host).digest('base64url').slice(0, 22)
      const keys = [`batch:host:${name}`, `batch:pause:${name}`]
      const token = randomBytes(12).toString('base64url')
      const ms = await run(ENTER, keys, [token, `${LEASE_MS}`, `${pauseMs}`]).catch(() => AWAY_MS)
      if (ms !== 0) return { busyMs: Number(ms) }
      return {
        release: async () => {
          // If Redis is away, the lease expires.
          await run(LEAVE, keys.slice(0, 1), [token]).catch(() => {})
        },
      }
    },
  }
}
