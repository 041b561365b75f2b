import { expect, test } from 'vitest'
import { parseTraceparent } from '../../src/http/trace-context.ts'
import { openApp } from './app-fixture.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const IDS = { traceId: TRACE, parentId: PARENT }

test.each<[name: string, header: unknown, ids: object | null]>([
  ['sampled', `00-${TRACE}-${PARENT}-01`, IDS],
  ['not sampled', `00-${TRACE}-${PARENT}-00`, IDS],
  ['of a later version', `01-${TRACE}-${PARENT}-01`, IDS],
  ['of a later version with more fields', `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, IDS],
  ['that is absent', undefined, null],
  ['that is empty', '', null],
  ['of version 00 with more fields', `00-${TRACE}-${PARENT}-01-more`, null],
  ['of a later version with a longer flag', `cc-${TRACE}-${PARENT}-01.more`, null],
  ['of the invalid version', `ff-${TRACE}-${PARENT}-01`, null],
  ['with a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, null],
  ['with a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, null],
  ['in upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`, null],
  ['with a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`, null],
  ['without flags', `00-${TRACE}-${PARENT}`, null],
  ['sent twice', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, null],
])('a traceparent %s', (_, header, ids) => {
  expect(parseTraceparent(header)).toEqual(ids)
})

test('the log line of a request contains the ids of its traceparent, and none of an invalid one', async () => {
  const app = await openApp()
  for (const traceparent of [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-private-01`])
    await app.call({ url: '/none', headers: { traceparent } })
  const [valid, invalid] = app
    .log()
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => JSON.parse(line))
  expect(valid).toMatchObject({ ...IDS, msg: 'request completed' })
  expect(invalid).not.toHaveProperty('traceId')
  expect(app.log()).not.toContain('private')
})
