import fc from 'fast-check'
import { nanoid } from 'nanoid'
import { describe, expect, test } from 'vitest'
import { redisUrl } from '../support/services.ts'
import { MINUTE, stateInMemory, statesOnRedis } from './open-coordinations.ts'

const url = redisUrl('memory against Redis')

describe.skipIf(url === null).each(statesOnRedis(url ?? ''))('%s and memory', (_, open) => {
  test('give the same, whatever is asked', async () => {
    const shared = await open()
    const names = fc.constantFrom('a', 'b', 'key_1:5', '::1')
    const text = fc.string({ unit: 'binary' })
    const step = fc.record(
      {
        counter: names,
        now: fc.integer({ min: -3, max: 70 }).map((minutes) => MINUTE + minutes * 59_999),
        cost: fc.constantFrom(0 as const, 1 as const),
        entry: names,
        extras: fc.boolean(),
        keep: fc.record({ result: text, extras: text }, { requiredKeys: ['result'] }),
      },
      { requiredKeys: ['counter', 'now', 'cost'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = nanoid()
        const own = stateInMemory()
        for (const { keep, ...take } of steps) {
          const named = { ...take, counter: run + take.counter, ...(take.entry && { entry: run + take.entry }) }
          const [told, expected] = await Promise.all([shared.take(named), own.take(named)])
          expect(told).toEqual(expected)
          if (keep === undefined || named.entry === undefined) continue
          const end = { outcome: '{}', result: { at: take.now, ...keep } }
          await Promise.all([shared, own].map((state) => state.land(named.entry ?? '', nanoid(), end)))
        }
      }),
      { numRuns: 150 },
    )
    await shared.close()
  })
})
