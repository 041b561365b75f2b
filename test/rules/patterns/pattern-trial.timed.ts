import { createRequire } from 'node:module'
import fc from 'fast-check'
import type { checkSync } from 'recheck'
import { afterAll, expect, test } from 'vitest'
import { buildPatternGraph } from '../../../src/rules/patterns/pattern-graph.ts'
import { findPumps } from '../../../src/rules/patterns/pattern-pumps.ts'
import { PatternRunner } from '../../../src/rules/patterns/pattern-trial.ts'
import { countRuns } from '../../support/property-runs.ts'
import { arbitraryPattern } from './arbitrary-patterns.ts'
import { measureCost } from './measure-cost.ts'

/** An allowed pattern takes at most 20 ms on a text; the limit is 1 s. */
const runner = new PatternRunner()
/** The slow patterns below take at least 0.6 s on a text of this length, ten times the limit. */
const quickRunner = new PatternRunner({ textLength: 64 * 1024, maxTextMs: 60 })
afterAll(() => {
  runner.close()
  quickRunner.close()
})

test('a trial stops a pattern that takes too long and continues with the next one', () => {
  const pumps = [{ start: 'aa', pump: 'a' }]
  expect(runner.isFast({ pattern: 'aa(?:a{1,9}){1,9}!', flags: 'i', pumps })).toBe(false)
  expect(runner.isFast({ pattern: 'a!', flags: 'i', pumps })).toBe(true)
})

test.each([
  ['aa(?:a{1,9}){1,9}!'],
  [`${'a?'.repeat(20)}b`.repeat(2)],
  ['^(?:\\w+\\s?)*$'],
  ['q[a-z]*!'],
  ['<a[^>]*>'],
  ['^(?:xa+)+$|(?:b|b)*c'],
])('the texts generated from %s show that it is slow', (pattern) => {
  const pumps = findPumps(buildPatternGraph(pattern, 'i'))
  expect(quickRunner.isFast({ pattern, flags: 'i', pumps })).toBe(false)
})

test('every allowed pattern is fast on the texts generated from it', { tags: ['property'] }, () => {
  let allowed = 0
  const isOk = (pattern: string): boolean => {
    if (!isPattern(pattern) || typeof measureCost(pattern) === 'string') return true
    allowed++
    return runner.isFast({ pattern, flags: 'i', pumps: findPumps(buildPatternGraph(pattern, 'i')) })
  }
  fc.assert(fc.property(arbitraryPattern, isOk), { numRuns: countRuns(300) })
  expect(allowed).toBeGreaterThan(50)
})

test('recheck, which uses another method, considers every allowed pattern safe', { tags: ['property'] }, () => {
  const { checkSync: check } = createRequire(import.meta.url)('recheck/lib/browser.js') as {
    checkSync: typeof checkSync
  }
  const small = arbitraryPattern.filter(
    (pattern) => pattern.length < 40 && isPattern(pattern) && typeof measureCost(pattern) === 'number',
  )
  // The other method of recheck, fuzzing, depends on chance and takes up to a minute for one pattern.
  const findStatus = (pattern: string): string => check(pattern, 'i', { checker: 'automaton', timeout: 1000 }).status
  const statuses: string[] = []
  fc.assert(
    fc.property(small, (pattern) => statuses[statuses.push(findStatus(pattern)) - 1] !== 'vulnerable'),
    { numRuns: countRuns(100) },
  )
  // The others are patterns that recheck does not support, or gives up on after a second.
  expect(statuses.filter((status) => status === 'safe').length).toBeGreaterThan(0.6 * statuses.length)
})

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'i') !== null
  } catch {
    return false
  }
}
