import fc from 'fast-check'
import { nanoid } from 'nanoid'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../support/code-point.ts'
import { countRuns } from '../support/property-runs.ts'
import { redisUrl } from '../support/services.ts'
import { listRedisStates, nextMinute, openTestMemory } from './open-coordinations.ts'

const MINUTE = nextMinute()

const url = await redisUrl('memory against Redis')

describe.skipIf(url === null).each(listRedisStates(url ?? ''))('%s and memory', (_, open) => {
  test('return the same results for any sequence of calls', { tags: ['property'] }, async () => {
    const shared = await open()
    const names = fc.constantFrom('a', 'b', 'key_1:5', '::1')
    const text = fc.string({ unit: codePoint })
    const step = fc.record(
      {
        counter: names,
        now: fc.integer({ min: -3, max: 70 }).map((minutes) => MINUTE + minutes * 59_999),
        cost: fc.constantFrom(0 as const, 1 as const),
        window: fc.constantFrom('minute' as const, 'day' as const),
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
      { numRuns: countRuns(150) },
    )
    await shared.close()
  })
})
