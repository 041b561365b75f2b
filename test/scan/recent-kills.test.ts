import { expect, test } from 'vitest'
import { RecentKills } from '../../src/scan/recent-kills.ts'

test.each<[name: string, killer: string, other: string, isBlocked: boolean]>([
  ['the page itself', 'https://evil.example.com/a', 'https://evil.example.com/a', true],
  ['another page, port and scheme of the host', 'https://example.com/a', 'http://example.com:8080/b', true],
  ['another name of the domain', 'https://a.example.com/', 'https://b.example.com/', true],
  ['another domain', 'https://a.example.com/', 'https://example.org/', false],
  ['another customer of shared hosting', 'https://a.github.io/', 'https://b.github.io/', false],
  ['a page of the same customer', 'https://a.github.io/x', 'https://a.github.io/y', true],
  ['the same address', 'http://192.0.2.1/', 'http://192.0.2.1/x', true],
  ['another address', 'http://192.0.2.1/', 'http://192.0.2.2/', false],
  ['another IPv6 address', 'http://[2001:db8::1]/', 'http://[2001:db8::2]/', false],
])('%s', (_, killer, other, isBlocked) => {
  const kills = new RecentKills()
  kills.add(killer)
  expect(kills.has(other)).toBe(isBlocked)
})

test('the block ends after a minute', () => {
  let now = 1000
  const kills = new RecentKills(() => now)
  kills.add('https://example.com/')
  now += 59_999
  expect(kills.has('https://example.com/')).toBe(true)
  now += 2
  expect(kills.has('https://example.com/')).toBe(false)
})
