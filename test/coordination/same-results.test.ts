import { inspect } from 'node:util'
import fc from 'fast-check'
import { nanoid } from 'nanoid'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../support/code-point.ts'
import { redisUrl } from '../support/services.ts'
import { listRedisStates, nextMinute, openTestMemory } from './open-coordinations.ts'

const MINUTE = nextMinute()

const url = await redisUrl('memory against Redis')

describe.skipIf(url === null).each(listRedisStates(url ?? ''))('%s and memory', (_, open) => {
  // A client that gets no data for 3 s drops its connection, as on a machine that stalls: that has nothing to do with
  // results.
  test('return the same results for any sequence of calls', async () => {
    await compareResults().catch((error: unknown) => {
      if (!inspect(error).includes('Socket timeout')) throw error
      return compareResults()
    })
  })

  async function compareResults(): Promise<void> {
    const shared = await open()
    const names = fc.constantFrom('a', 'b', 'key_1:5', '::1')
    const text = fc.string({ unit: codePoint })
    const step = fc.record(
      {
        counter: names,
        now: fc.integer({ min: -3, max: 70 }).map((minutes) => MINUTE + minutes * 59_999),
        cost: fc.constantFrom(0 as const, 1 as const),
        entry: names,
        extras: fc.boolean(),
        store: fc.record({ result: text, extras: text }, { requiredKeys: ['result'] }),
      },
      { requiredKeys: ['counter', 'now', 'cost'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = nanoid()
        const own = openTestMemory()
        for (const { store, ...query } of steps) {
          const named = { ...query, counter: run + query.counter, ...(query.entry && { entry: run + query.entry }) }
          const [actual, expected] = await Promise.all([shared.countRequest(named), own.countRequest(named)])
          expect(actual).toEqual(expected)
          if (store === undefined || named.entry === undefined) continue
          const completion = { outcome: '{}', result: { at: query.now, ...store } }
          await Promise.all([shared, own].map((state) => state.complete(named.entry ?? '', nanoid(), completion)))
        }
      }),
      { numRuns: 150 },
    )
    await shared.close()
  }
})
