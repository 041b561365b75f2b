import { expect, test } from 'vitest'
import { openMemoryGate } from '../../src/batches/host-gate.ts'
import { buildUrls, readHost } from '../../src/batches/parse-list.ts'

test('one scan of a host at a time, one start a second', async () => {
  let now = 0
  const gate = openMemoryGate(() => now)
  const first = await gate.enter('a.example')
  if (!('release' in first)) throw new Error('the host is free')
  expect(await gate.enter('b.example')).toHaveProperty('release')
  expect(await gate.enter('a.example')).toEqual({ busyMs: 1000 })
  now = 900
  expect(await gate.enter('a.example')).toEqual({ busyMs: 250 })
  await first.release()
  expect(await gate.enter('a.example')).toEqual({ busyMs: 100 })
  now = 1000
  expect(await gate.enter('a.example')).toHaveProperty('release')
  now = 100_000
  // A scan that takes longer keeps its host.
  expect(await gate.enter('a.example')).toEqual({ busyMs: 250 })
})

test('the hosts of a list take turns', () => {
  const urls = ['https://a.example/1', 'a.example/2', 'b.example', 'https://A.example/3', 'no url', 'no url']
  expect(buildUrls(urls).map(({ turn }) => turn)).toEqual([0, 1, 0, 2, 0, 1])
})

test.each([
  ['https://A.example:8080/x', 'a.example'],
  ['a.example/x', 'a.example'],
  ['no url', ''],
])('the host of %s', (text, host) => {
  expect(readHost(text)).toBe(host)
})

test('an entry that is too long is rejected with its place', () => {
  expect(() => buildUrls(['a.example', 'x'.repeat(8193)])).toThrow(
    'Entry 2 of the list is longer than 8192 characters.',
  )
})
