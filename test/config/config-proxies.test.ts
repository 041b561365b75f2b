import fc from 'fast-check'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'

const bits = fc.option(fc.integer({ min: -1, max: 130 }), { nil: null })
const block = fc
  .tuple(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.constantFrom('::ffff:1.2.3.4', '1.2.3')), bits)
  .map(([address, length]) => (length === null ? address : `${address}/${length}`))

/** What the configuration makes of a value; undefined when it is refused. */
function trusted(value: string) {
  try {
    return loadConfig({ TRUST_PROXY: value }).trustProxy
  } catch {
    return undefined
  }
}

test('every TRUST_PROXY that is taken, Fastify takes', () => {
  let taken = 0
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 3 }), (blocks) => {
      const trustProxy = trusted(blocks.join(','))
      if (!Array.isArray(trustProxy)) return
      taken++
      fastify({ trustProxy })
    }),
    { numRuns: 300 },
  )
  expect(taken).toBeGreaterThan(10)
})
