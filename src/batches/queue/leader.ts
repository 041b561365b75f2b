import { randomBytes } from 'node:crypto'
import type { RunScript } from '../../coordination/redis/connection.ts'
import { buildScript } from '../../coordination/redis/scripts.ts'

/** Life of the lease of the leader: another worker takes over when it was killed this long ago. */
const LEASE_MS = 5000
const KEY = 'batch:leader'

/** KEYS: lease. ARGV: token, life. Returns 1 to the leader. */
const LEAD = buildScript(`
local leader = redis.call('GET', KEYS[1])
if leader and leader ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

/** KEYS: lease. ARGV: token. */
const RESIGN = buildScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`)

/** Selects one of the workers that share a Redis. For a moment there may be two: what a leader does may be done twice. */
export class Leader {
  readonly #run: RunScript
  readonly #token = randomBytes(12).toString('base64url')

  constructor(run: RunScript) {
    this.#run = run
  }

  /** Becomes the leader if there is none, and stays it for a few seconds. @returns false if there is another one, or if Redis does not answer */
  async lead(): Promise<boolean> {
    return (await this.#run(LEAD, [KEY], [this.#token, `${LEASE_MS}`]).catch(() => 0)) === 1
  }

  async resign(): Promise<void> {
    await this.#run(RESIGN, [KEY], [this.#token]).catch(() => {})
  }
}
