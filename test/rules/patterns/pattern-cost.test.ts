import { describe, expect, test } from 'vitest'
import { measureCost } from './measure-cost.ts'

const AMBIGUOUS = /^parts that match the same characters follow or contain each other/
const RESTARTS = /^the part that repeats also matches what the pattern begins with/
const LARGE = /^with its counted repeats expanded it has more than 400 characters/
const STEPS = /^it may compare more than 32 characters per character of a page/

describe('a pattern without a bound of its cost is rejected with what to change', () => {
  test.each([
    ['aa(?:a{1,9}){1,9}!', AMBIGUOUS],
    [`${'a?'.repeat(20)}b`, AMBIGUOUS],
    ['(?:a?){30}b', AMBIGUOUS],
    ['(?:a|b|ab){0,30}c', AMBIGUOUS],
    ['q(?:a|aa){0,40}!', AMBIGUOUS],
    ['(a+)+$', AMBIGUOUS],
    ['^(?:q|q)*!', AMBIGUOUS],
    ['^q(?:[^!]|\\n)*!', AMBIGUOUS],
    ['^(?:\\w+\\s?)*$', AMBIGUOUS],
    ['^qx*y?x*z', AMBIGUOUS],
    ['^q[a-z]*z[a-z]*!', AMBIGUOUS],
    ['^(?:q[a-z]*z)?[a-z]*!', AMBIGUOUS],
    ['^(a*)b?\\1!', AMBIGUOUS],
    ['^(?:K|\\u212a|k)*!', AMBIGUOUS],
    ['^(?:é|[\\u00c0-\\u00ff])*!', AMBIGUOUS],
    ['q.*!', RESTARTS],
    ['q[a-z]*!', RESTARTS],
    ['q[^>]*>', RESTARTS],
    ['\\s*x', RESTARTS],
    ['(q)[a-z]*\\1!', RESTARTS],
    ['q[a-z]{0,50}!', RESTARTS],
    ['q[a-z]{0,9999}!', LARGE],
    ['(?:a{0,60}){0,60}b', LARGE],
    ['(?:(?:a{99}b){99}c){99}', LARGE],
    ['(?=v[a-z]{0,20000}!)v', LARGE],
    ['[a-z]{40}-', STEPS],
    ['q(?=.*x)', /^its lookahead repeats without a fixed limit/],
    ['(?<![a-z]{0,20000})q', /^its lookbehind repeats without a fixed limit/],
    ['(q)(?=\\1)', /^its lookahead repeats without a fixed limit/],
    ['(?:|){50}x', /^parts of it can match nothing in too many ways/],
    [`${'('.repeat(300)}a${')'.repeat(300)}`, /^its groups are nested too deep/],
    [`^(?:${Array.from({ length: 300 }, (_, i) => `[${String.fromCharCode(300 + i)}x]`).join('|')})*y`, /too many/],
  ])('%s', (pattern, reason) => {
    expect(measureCost(pattern)).toMatch(reason)
  })
})

describe('a pattern with a bounded cost is allowed', () => {
  test.each([
    ['^Pagekiln(?: ([\\d.]+))?'],
    ['\\?ver=([\\d.]+)'],
    ['foo.*'],
    ['^foo.*bar'],
    ['^\\s*foo'],
    ['^(?:\\d+\\.)*x'],
    ['^(?:a|b)*c'],
    ['content="[^"]{0,80}Acme'],
    ['<meta[^<>]*content="([^"<]*)"'],
    ['a{0,9}b'],
    ['/[\\w.-]+\\.(?:css|js)$'],
    ['(["\'])acme\\1'],
    ['foo(?!bar)'],
    ['(?<=/)v\\d+'],
    ['[]'],
    ['\\cA\\x41\\u0041'],
    ['a-z\\-]{2}'],
  ])('%s', (pattern) => {
    expect(measureCost(pattern)).toBeLessThanOrEqual(32)
  })
})

test('the flags decide whether case matters', () => {
  expect([measureCost('^(?:a|A)*!', 'i'), measureCost('^(?:a|A)*!', '')]).toEqual([
    expect.stringMatching(AMBIGUOUS),
    expect.any(Number),
  ])
})
