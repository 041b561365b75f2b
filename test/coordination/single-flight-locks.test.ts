import { nanoid } from 'nanoid'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SharedState } from '../../src/coordination/types.ts'
import { redisUrl } from '../support/services.ts'
import { MINUTE, statesOnRedis } from './open-coordinations.ts'

const url = redisUrl('flights')
const now = MINUTE
const result = { at: MINUTE, result: '{}', extras: '[]' }

describe.skipIf(url === null).each(statesOnRedis(url ?? ''))('flights of two nodes on %s', (_, open) => {
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

  const board = (state: SharedState, entry: string, fresh = false) => state.board(entry, { fresh, now })
  const lead = async (state: SharedState, entry: string): Promise<string> => {
    const boarding = await board(state, entry)
    if (boarding.role !== 'lead') throw new Error(`did not lead: ${boarding.role}`)
    return boarding.token
  }
  const lockOf = async (token: string): Promise<string> => {
    for await (const keys of raw.scanIterator({ MATCH: 'siteprint:flight:*' })) {
      for (const key of keys) if ((await raw.get(key)) === token) return key
    }
    throw new Error('there is no such lock')
  }
  /** What happens when the node that scans cannot renew the lock for 5 s. */
  const loseLock = async (token: string): Promise<void> => {
    await raw.del(await lockOf(token))
  }

  test('one of a hundred at once leads, all others wait for it', async () => {
    const entry = nanoid()
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => board(i % 2 ? one : other, entry)))
    const leaders = all.filter(({ role }) => role === 'lead')
    expect(leaders).toHaveLength(1)
    const tokens = new Set(all.map((boarding) => ('token' in boarding ? boarding.token : '')))
    expect(tokens.size).toBe(1)
    expect(all.filter(({ role }) => role === 'wait')).toHaveLength(99)
  })

  test('who waits gets the outcome, and a new flight can start', async () => {
    const entry = nanoid()
    const token = await lead(one, entry)
    expect(await board(other, entry)).toEqual({ role: 'wait', token })
    expect(await other.outcomeOf(entry, token)).toBeNull()
    await one.land(entry, token, { outcome: '{"cause":"é\\u0000😀"}', result: null })
    expect(await other.outcomeOf(entry, token)).toBe('{"cause":"é\\u0000😀"}')
    const next = await lead(other, entry)
    expect(next).not.toBe(token)
    expect(await other.outcomeOf(entry, token)).toBe('{"cause":"é\\u0000😀"}')
    expect(await other.outcomeOf(entry, next)).toBeNull()
  })

  test('after a flight that kept a result there is nothing to fly for', async () => {
    const entry = nanoid()
    await one.land(entry, await lead(one, entry), { outcome: '{}', result })
    expect(await board(other, entry)).toEqual({ role: 'done', entry: result })
  })

  test('who wants it fresh joins a flight that is under way, else leads', async () => {
    const entry = nanoid()
    await one.land(entry, await lead(one, entry), { outcome: '{}', result })
    const fresh = await board(one, entry, true)
    expect(fresh.role).toBe('lead')
    expect(await board(other, entry, true)).toEqual({ ...fresh, role: 'wait' })
    expect((await board(other, entry)).role).toBe('done')
  })

  test('a flight whose lock ran out is gone', async () => {
    const entry = nanoid()
    const token = await lead(one, entry)
    await loseLock(token)
    expect(await other.outcomeOf(entry, token)).toBe('gone')
    expect(await other.outcomeOf(entry, 'never')).toBe('gone')
  })

  test('a lock ends within 5 s unless it is renewed, by its own token alone', async () => {
    const entry = nanoid()
    const token = await lead(one, entry)
    const lock = await lockOf(token)
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
    expect(await raw.exists(lock), 'a lock that was lost stays lost').toBe(0)
    expect((await board(other, entry)).role).toBe('lead')
  })

  test('who lands late keeps its result and leaves the lock of another alone', async () => {
    const entry = nanoid()
    const late = await lead(one, entry)
    await loseLock(late)
    const token = await lead(other, entry)
    await one.land(entry, late, { outcome: '"late"', result })
    expect(await one.outcomeOf(entry, late)).toBe('"late"')
    expect(await one.outcomeOf(entry, token)).toBeNull()
    expect(await board(one, entry, true)).toEqual({ role: 'wait', token })
    expect((await board(one, entry)).role).toBe('done')
  })

  test('flights of other entries do not meet', async () => {
    const tokens = await Promise.all([lead(one, nanoid()), lead(one, nanoid()), lead(other, nanoid())])
    expect(new Set(tokens).size).toBe(3)
  })
})
