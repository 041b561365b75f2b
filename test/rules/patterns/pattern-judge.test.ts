import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PatternJudge } from '../../../src/rules/patterns/pattern-judge.ts'
import { VerdictCache } from '../../../src/rules/patterns/verdict-cache.ts'
import { writeFolder } from '../../support/rule-folder.ts'

/** Judges patterns in one run, as a command does. With a time limit of 0 no trial runs, so only cached patterns are judged. */
function judgeIn(folder: string, patterns: readonly string[], timeoutMs = Number.POSITIVE_INFINITY) {
  const judge = new PatternJudge({ cache: new VerdictCache(folder), timeoutMs })
  const reasons = patterns.map((pattern) => judge.judge(pattern, 'i'))
  judge.close()
  return { reasons, unjudged: [...judge.unjudged] }
}

const GOOD = '^acme (\\d+)'
const BAD = 'aa(?:a{1,9}){1,9}!'

describe('verdicts are cached', () => {
  test('between runs; after the time limit only cached patterns are judged', () => {
    const folder = join(writeFolder({}), 'not/there/yet')
    expect(judgeIn(folder, [GOOD], 0)).toEqual({ reasons: [null], unjudged: [`/${GOOD}/i`] })
    expect(judgeIn(folder, [GOOD, BAD])).toEqual({ reasons: [null, expect.any(String)], unjudged: [] })
    expect(judgeIn(folder, [GOOD, BAD], 0)).toEqual({ reasons: [null, null], unjudged: [`/${BAD}/i`] })
    expect(readdirSync(folder)).toEqual(['patterns.json'])
  })

  test('separately for each set of flags', () => {
    const folder = writeFolder({})
    judgeIn(folder, [GOOD])
    expect(new VerdictCache(folder).has(GOOD, 'i')).toBe(true)
    expect(new VerdictCache(folder).has(GOOD, '')).toBe(false)
  })

  test('a verdict that other code gave is not used', () => {
    const folder = writeFolder({})
    const cache = new VerdictCache(folder, 'other code')
    cache.add(BAD, 'i')
    cache.save()
    expect(new VerdictCache(folder, 'other code').has(BAD, 'i')).toBe(true)
    expect(judgeIn(folder, [BAD]).reasons).toEqual([expect.stringContaining('match the same characters')])
  })

  test.each([
    ['truncated', '["abc'],
    ['an object', '{"a":1}'],
    ['a list of other values', '[null,7,{"has":true}]'],
    ['empty', ''],
    ['binary', '\u0000\u0001'],
  ])('a cache that is %s is ignored and replaced', (_, content) => {
    const folder = writeFolder({ 'patterns.json': content })
    expect(judgeIn(folder, [GOOD], 0).unjudged).toHaveLength(1)
    expect(judgeIn(folder, [GOOD]).reasons).toEqual([null])
    expect(JSON.parse(readFileSync(join(folder, 'patterns.json'), 'utf8'))).toHaveLength(1)
  })

  test('a read-only folder only costs time', () => {
    const folder = writeFolder({})
    const blocked = join(folder, 'file')
    writeFileSync(blocked, '')
    expect(judgeIn(join(blocked, 'cache'), [GOOD, BAD]).reasons).toEqual([null, expect.any(String)])
    mkdirSync(join(folder, 'patterns.json')) // A folder instead of the file, because root may write to a file of any mode.
    chmodSync(folder, 0o500)
    expect(judgeIn(folder, [GOOD]).reasons).toEqual([null])
    chmodSync(folder, 0o700)
    expect(readdirSync(folder).sort()).toEqual(['file', 'patterns.json'])
  })
})
