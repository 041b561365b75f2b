import { nanoid } from 'nanoid'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SharedState } from '../../src/coordination/types.ts'
import { redisUrl } from '../support/services.ts'
import { listRedisStates, nextMinute } from './open-coordinations.ts'

const MINUTE = nextMinute()

const url = await redisUrl('single-flight locks')
const now = MINUTE
const result = { at: MINUTE, result: '{}', extras: '[]' }

describe.skipIf(url === null).each(listRedisStates(url ?? ''))('single-flight locks of two nodes on %s', (_, open) => {
  const raw = createClient({ url: url ?? '' })
  let one: SharedState
  let other: SharedState
  beforeAll(async () => {
    ;[one, other] = await Promise.all([open(), open(), raw.connect()])
  })
  afterAll(async () => {
    await Promise.all([one.close(), other.close()])
    raw.destroy()
  })

  const acquire = (state: SharedState, entry: string, fresh = false) => state.acquire(entry, { fresh, now })
  const acquireLock = async (state: SharedState, entry: string): Promise<string> => {
    const acquisition = await acquire(state, entry)
    if (acquisition.role !== 'lead') throw new Error(`did not get the lock: ${acquisition.role}`)
    return acquisition.token
  }
  const findLock = async (token: string): Promise<string> => {
    for await (const keys of raw.scanIterator({ MATCH: 'siteprint:flight:*' })) {
      for (const key of keys) if ((await raw.get(key)) === token) return key
    }
    throw new Error('there is no such lock')
  }
  /** Simulates a lock that expired because its holder did not renew it for 5 s. */
  const loseLock = async (token: string): Promise<void> => {
    await raw.del(await findLock(token))
  }

  test('one of a hundred concurrent acquisitions gets the lock, the others wait for it', async () => {
    const entry = nanoid()
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => acquire(i % 2 ? one : other, entry)))
    const leaders = all.filter(({ role }) => role === 'lead')
    expect(leaders).toHaveLength(1)
    const tokens = new Set(all.map((one) => ('token' in one ? one.token : '')))
    expect(tokens.size).toBe(1)
    expect(all.filter(({ role }) => role === 'wait')).toHaveLength(99)
  })

  test('waiting nodes read the outcome, and the lock is free again', async () => {
    const entry = nanoid()
    const token = await acquireLock(one, entry)
    expect(await acquire(other, entry)).toEqual({ role: 'wait', token })
    expect(await other.readOutcome(entry, token)).toBeNull()
    await one.complete(entry, token, { outcome: '{"cause":"é\\u0000😀"}', result: null })
    expect(await other.readOutcome(entry, token)).toBe('{"cause":"é\\u0000😀"}')
    const next = await acquireLock(other, entry)
    expect(next).not.toBe(token)
    expect(await other.readOutcome(entry, token)).toBe('{"cause":"é\\u0000😀"}')
    expect(await other.readOutcome(entry, next)).toBeNull()
  })

  test('after a scan with a cached result, acquire returns the result', async () => {
    const entry = nanoid()
    await one.complete(entry, await acquireLock(one, entry), { outcome: '{}', result })
    expect(await acquire(other, entry)).toEqual({ role: 'done', entry: result })
  })

  test('a fresh scan waits for an in-flight scan, and otherwise gets the lock', async () => {
    const entry = nanoid()
    await one.complete(entry, await acquireLock(one, entry), { outcome: '{}', result })
    const fresh = await acquire(one, entry, true)
    expect(fresh.role).toBe('lead')
    expect(await acquire(other, entry, true)).toEqual({ ...fresh, role: 'wait' })
    expect((await acquire(other, entry)).role).toBe('done')
  })

  test('a scan whose lock has expired is gone', async () => {
    const entry = nanoid()
    const token = await acquireLock(one, entry)
    await loseLock(token)
    expect(await other.readOutcome(entry, token)).toBe('gone')
    expect(await other.readOutcome(entry, 'never')).toBe('gone')
  })

  test('a lock expires within 5 s unless it is renewed, and only its own token renews it', async () => {
    const entry = nanoid()
    const token = await acquireLock(one, entry)
    const lock = await findLock(token)
    const leftMs = (): Promise<number> => raw.pTTL(lock)
    expect(await leftMs()).toBeLessThanOrEqual(5000)
    await raw.pExpire(lock, 1000)
    await other.renew(entry, 'another token')
    expect(await leftMs()).toBeLessThanOrEqual(1000)
    await one.renew(entry, token)
    expect(await leftMs()).toBeGreaterThan(3000)
    expect(await leftMs()).toBeLessThanOrEqual(5000)
    await loseLock(token)
    await one.renew(entry, token)
    expect(await raw.exists(lock), 'an expired lock is not restored').toBe(0)
    expect((await acquire(other, entry)).role).toBe('lead')
  })

  test('a scan that completes after its lock expired stores its result and keeps the lock of another node', async () => {
    const entry = nanoid()
    const late = await acquireLock(one, entry)
    await loseLock(late)
    const token = await acquireLock(other, entry)
    await one.complete(entry, late, { outcome: '"late"', result })
    expect(await one.readOutcome(entry, late)).toBe('"late"')
    expect(await one.readOutcome(entry, token)).toBeNull()
    expect(await acquire(one, entry, true)).toEqual({ role: 'wait', token })
    expect((await acquire(one, entry)).role).toBe('done')
  })

  test('locks of different entries are independent', async () => {
    const tokens = await Promise.all([one, one, other].map((state) => acquireLock(state, nanoid())))
    expect(new Set(tokens).size).toBe(3)
  })
})
