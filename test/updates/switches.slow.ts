import { expect, test } from 'vitest'
import { scanDuringSwitches } from './rules-server.ts'

test('10,000 scans during ten switches: each is answered by one ruleset', async () => {
  expect(await scanDuringSwitches(10_000, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})
