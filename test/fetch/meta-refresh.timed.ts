import { expect, test } from 'vitest'
import { findMetaRefreshes } from '../../src/fetch/meta-refresh.ts'

test.each([
  ['64 KiB of white space before the value', `<meta http-equiv=${' '.repeat(65_500)}x>`],
  ['white space around the equals sign', `<meta http-equiv${' '.repeat(30_000)}=${' '.repeat(30_000)}"x>`],
  ['many partial matches', 'http-equiv= '.repeat(5400)],
])('%s is searched in linear time', (_, html) => {
  const bytes = Buffer.from(html, 'latin1')
  const started = performance.now()
  expect(findMetaRefreshes(bytes)).toEqual([])
  // It takes less than 10 ms. In quadratic time it took 2,000 to 15,000 ms.
  expect(performance.now() - started).toBeLessThan(1000)
})
