import { expect, test } from 'vitest'
import { parseSite, readHost } from '../../src/cli/scan/site-list.ts'

test.each<[text: string, urls: string[], host: string]>([
  ['example.org', ['https://example.org', 'http://example.org'], 'example.org'],
  ['Example.org/shop?a=b', ['https://Example.org/shop?a=b', 'http://Example.org/shop?a=b'], 'example.org'],
  ['example.org:8443', ['https://example.org:8443', 'http://example.org:8443'], 'example.org:8443'],
  ['example.org:80/a', ['http://example.org:80/a'], 'example.org'],
  ['example.org/a:80', ['https://example.org/a:80', 'http://example.org/a:80'], 'example.org'],
  ['bücher.example', ['https://bücher.example', 'http://bücher.example'], 'xn--bcher-kva.example'],
  ['192.0.2.7', ['https://192.0.2.7', 'http://192.0.2.7'], '192.0.2.7'],
  ['http://example.org/', ['http://example.org/'], 'example.org'],
  ['ftp://example.org', ['ftp://example.org'], 'example.org'],
  ['nonsense', ['nonsense'], 'nonsense'],
  ['example.org, shop', ['example.org, shop'], 'example.org, shop'],
  ['user@example.org', ['user@example.org'], 'user@example.org'],
])('the entry %s', (text, urls, host) => {
  const site = parseSite(text)
  expect([site.text, site.urls, readHost(site)]).toEqual([text, urls, host])
})

test.each<[a: string, b: string, isSame: boolean]>([
  ['example.org', 'https://example.org/', true],
  ['EXAMPLE.org', 'example.org', true],
  ['https://example.org/#a', 'https://example.org/#b', true],
  ['https://example.org:443/', 'example.org', true],
  ['http://example.org/', 'https://example.org/', false],
  ['example.org/a', 'example.org/A', false],
  ['example.org/?a', 'example.org/', false],
  ['nonsense', 'Nonsense', false],
])('%s and %s are the same site: %s', (a, b, isSame) => {
  expect(parseSite(a).key === parseSite(b).key).toBe(isSame)
})
