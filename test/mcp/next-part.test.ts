import { expect, test } from 'vitest'
import { findNextQuery } from '../../src/mcp/next-part.ts'

test.each([
  ['</api/v1/batches/b1/results?cursor=c2&format=csv>; rel="next"', '?cursor=c2&format=csv'],
  ['<https://siteprint.example/api/v1/batches/b1/results?cursor=c2>;  rel="next"', '?cursor=c2'],
  ['</first?cursor=c1>; rel="prev", </next?cursor=c3>; rel="next"', '?cursor=c3'],
  ['</api/v1/batches/b1/results?cursor=c2>; rel="prev"', null],
  ['</api/v1/batches/b1/results>; rel="next"', null],
  ['<'.repeat(100_000), null],
  ['', null],
  [null, null],
  [undefined, null],
])('the query of the next part in %j', (link, query) => {
  expect(findNextQuery(link)).toBe(query)
})
