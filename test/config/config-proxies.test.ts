import fc from 'fast-check'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { countRuns } from '../support/property-runs.ts'

const bits = fc.option(fc.integer({ min: -1, max: 130 }), { nil: null })
const block = fc
  .tuple(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.constantFrom('::ffff:1.2.3.4', '1.2.3')), bits)
  .map(([address, length]) => (length === null ? address : `${address}/${length}`))

/** Reads TRUST_PROXY; undefined if the value is invalid. */
function readTrustProxy(value: string) {
  try {
    return loadConfig({ TRUST_PROXY: value, PORTAL: 'off' }).trustProxy
  } catch {
    return undefined
  }
}

test('Fastify accepts every valid TRUST_PROXY', { tags: ['property'] }, () => {
  let accepted = 0
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 3 }), (blocks) => {
      const trustProxy = readTrustProxy(blocks.join(','))
      if (!Array.isArray(trustProxy)) return
      accepted++
      fastify({ trustProxy })
    }),
    { numRuns: countRuns(300) },
  )
  expect(accepted).toBeGreaterThan(10)
})
