import { describe, expect, test } from 'vitest'
import { parseRobots, permits } from '../../src/fetch/robots.ts'

const check = (text: string, path: string): boolean =>
  permits(parseRobots(text, 'Siteprint'), new URL(path, 'https://example.org'))
const forAll = (...rules: readonly string[]): string => ['User-agent: *', ...rules].join('\n')

describe('the rules of RFC 9309', () => {
  test.each<[name: string, text: string, path: string, permitted: boolean]>([
    ['no rules', '', '/a', true],
    ['a folder', forAll('Disallow: /shop'), '/shop/cart', false],
    ['another folder', forAll('Disallow: /shop'), '/blog', true],
    ['case counts in paths', forAll('Disallow: /Shop'), '/shop', true],
    ['an empty rule', forAll('Disallow:'), '/a', true],
    ['the longest rule decides', forAll('Disallow: /a', 'Allow: /a/b'), '/a/b/c', true],
    ['in any order', forAll('Allow: /a', 'Disallow: /a/b'), '/a/b/c', false],
    ['of two equally long ones, allow', forAll('Disallow: /a', 'Allow: /a'), '/a', true],
    ['a wildcard', forAll('Disallow: /*/print'), '/a/b/print', false],
    ['a wildcard at the end', forAll('Disallow: /a*'), '/ab', false],
    ['an anchor', forAll('Disallow: /*.php$'), '/a.php', false],
    ['an anchor that is not at the end of the path', forAll('Disallow: /*.php$'), '/a.php5', true],
    ['an anchor after an overlap', forAll('Disallow: /ab*ba$'), '/aba', true],
    ['the query', forAll('Disallow: /*?sort='), '/a?sort=x', false],
    ['percent-encoding', forAll('Disallow: /caf%C3%a9'), '/café', false],
    ['letters of other languages', forAll('Disallow: /café'), '/caf%c3%a9', false],
    ['encoded letters', forAll('Disallow: /%61'), '/a', false],
    ['a comment', forAll('Disallow: /a # not this'), '/a', false],
    ['spaces, case and line ends', 'USER-AGENT :  *\r\nDISALLOW :/a\rdisallow: /b', '/b', false],
    ['a byte order mark', '\ufeffUser-agent: *\nDisallow: /', '/', false],
    ['lines that are not rules', forAll('Crawl-delay: 10', 'noise', ': /', 'Disallow: /a'), '/a', false],
    ['rules before a group', 'Disallow: /\nUser-agent: *\nDisallow: /a', '/b', true],
  ])('%s', (_, text, path, permitted) => {
    expect(check(text, path)).toBe(permitted)
  })
})

describe('groups', () => {
  const own =
    'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n\nUser-agent: SITEPRINT/2.0\nDisallow: /b\n'
  test.each<[name: string, text: string, path: string, permitted: boolean]>([
    ['one that names the crawler replaces that for all', own, '/a', true],
    ['and applies', own, '/b', false],
    ['several of the crawler are united', `${own}User-agent: siteprint\nDisallow: /c`, '/c', false],
    ['several names have one group', 'User-agent: x\nUser-agent: siteprint\nDisallow: /', '/', false],
    ['a name that only begins like the crawler', 'User-agent: siteprinter\nDisallow: /', '/', true],
    ['an own group without rules permits everything', 'User-agent: *\nDisallow: /\nUser-agent: siteprint\n', '/', true],
    ['a sitemap does not end a group', 'User-agent: siteprint\nSitemap: /s.xml\nDisallow: /', '/', false],
  ])('%s', (_, text, path, permitted) => {
    expect(check(text, path)).toBe(permitted)
  })
})

test.each<[name: string, text: string]>([
  ['wildcards', forAll(`Disallow: /${'*a'.repeat(200_000)}$`)],
  ['rules', forAll(...Array.from({ length: 50_000 }, (_, i) => `Disallow: /*a*${i}`))],
  ['names', `${'User-agent: x\n'.repeat(40_000)}Disallow: /`],
])('half a megabyte of %s is read', (_, text) => {
  expect(check(text, `/${'a'.repeat(2000)}`)).toBe(true)
})
