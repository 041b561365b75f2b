import { expect, test } from 'vitest'
import type { CacheEntry } from '../../src/coordination/types.ts'
import type { LiveExtra } from '../../src/scan/extras.ts'
import { type FormatOptions, formatResult } from '../../src/service/cached-response.ts'
import { PreparedResponses } from '../../src/service/prepared-responses.ts'

const ENTRY: CacheEntry = {
  at: 1,
  result: '{"url":"https://a.example/","builder":null,"category":"visual"}',
  extras: '{\n"versions":{"Ünïcode":"1"},\n"warnings":["☃"],\n"parts":[{"url":"https://a.example/"}]\n}',
}
const OPTIONS: FormatOptions = { cached: true, include: ['versions'], revision: 2, categories: { visual: 'former' } }
const CASES: readonly Partial<FormatOptions>[] = [
  {},
  { include: ['warnings'] },
  { include: ['versions', 'warnings'] as LiveExtra[] },
  { revision: 1 },
  { pages: 2 },
  { cached: false },
  { include: [] },
]

test('responses are those of formatResult, in whatever order they are asked for', () => {
  const prepared = new PreparedResponses()
  for (const first of CASES)
    for (const second of CASES)
      for (const change of [first, second, second, first]) {
        const options = { ...OPTIONS, ...change }
        expect(String(prepared.format(ENTRY, options))).toBe(formatResult(ENTRY, options))
      }
})

test('the bytes of a response with extras are formed once', () => {
  const prepared = new PreparedResponses()
  const body = prepared.format(ENTRY, OPTIONS)
  expect(body).toBeInstanceOf(Buffer)
  expect(prepared.format(ENTRY, OPTIONS)).toBe(body)
  expect(prepared.format({ ...ENTRY }, OPTIONS)).not.toBe(body)
})
