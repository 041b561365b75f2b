import { describe, expect, test } from 'vitest'
import type { Level } from '../../src/engine/verdict/verdict-types.ts'
import { buildPageWith, getVerdict, readLevels, technology as rule, type TinyRule } from './support/tiny-rules.ts'

type Case = [string, TinyRule[], Parameters<typeof buildPageWith>[0], Record<string, Level | null>]

function check(rules: TinyRule[], page: Case[2], levels: Case[3]): void {
  expect(readLevels(getVerdict(rules, buildPageWith(page)))).toEqual(levels)
}

describe('6 requires', () => {
  const [aaa, bbb, ccc] = [rule('aaa', { requires: 'bbb' }), rule('bbb'), rule('ccc')]
  test.each<Case>([
    ['is met at high', [aaa, bbb], { aaa: 'high', bbb: 'high' }, { aaa: 'high', bbb: 'high' }],
    ['is met at medium, a lower level', [aaa, bbb], { aaa: 'high', bbb: 'medium' }, { aaa: 'high', bbb: 'medium' }],
    ['is not met at low', [aaa, bbb], { aaa: 'high', bbb: 'low' }, { aaa: null, bbb: 'low' }],
    ['is not met without hits', [aaa, bbb], { aaa: 'high' }, { aaa: null }],
    [
      'needs each of several rules',
      [rule('aaa', { requires: ['bbb', 'ccc'] }), bbb, ccc],
      { aaa: 'high', bbb: 'high' },
      { aaa: null, bbb: 'high' },
    ],
    [
      'is decided on the state before the step: rules that it drops still count',
      [aaa, rule('bbb', { requires: 'ccc' }), ccc],
      { aaa: 'high', bbb: 'high' },
      { aaa: 'high', bbb: null },
    ],
    [
      'comes before implies: an implied rule does not count yet',
      [aaa, bbb, rule('ccc', { implies: 'bbb' })],
      { aaa: 'high', ccc: 'high' },
      { aaa: null, bbb: 'high', ccc: 'high' },
    ],
    [
      'comes before excludes: a rule that is excluded later counts',
      [aaa, bbb, rule('ccc', { excludes: 'bbb' })],
      { aaa: 'high', bbb: 'medium', ccc: 'high' },
      { aaa: 'high', bbb: null, ccc: 'high' },
    ],
  ])('%s', (_, rules, page, levels) => check(rules, page, levels))
})

describe('6 implies', () => {
  const [aaa, bbb, ccc] = [rule('aaa', { implies: 'bbb' }), rule('bbb'), rule('ccc')]
  test.each<Case>([
    ['adds a rule without hits', [aaa, bbb], { aaa: 'medium' }, { aaa: 'medium', bbb: 'medium' }],
    ['lifts a rule at a lower level', [aaa, bbb], { aaa: 'high', bbb: 'low' }, { aaa: 'high', bbb: 'high' }],
    ['lifts a rule below low', [aaa, bbb], { aaa: 'low', bbb: 'faint' }, { aaa: 'low', bbb: 'low' }],
    ['does not lower a rule at a higher level', [aaa, bbb], { aaa: 'low', bbb: 'high' }, { aaa: 'low', bbb: 'high' }],
    ['needs a level of the implying rule', [aaa, bbb], { aaa: 'faint' }, { aaa: null }],
    [
      'is transitive',
      [aaa, rule('bbb', { implies: 'ccc' }), ccc],
      { aaa: 'high' },
      { aaa: 'high', bbb: 'high', ccc: 'high' },
    ],
    [
      'is transitive over a rule that is lower by itself',
      [aaa, rule('bbb', { implies: 'ccc' }), ccc],
      { aaa: 'high', bbb: 'low', ccc: 'low' },
      { aaa: 'high', bbb: 'high', ccc: 'high' },
    ],
    [
      'lifts to the highest of two levels',
      [aaa, bbb, rule('ccc', { implies: 'bbb' })],
      { aaa: 'low', ccc: 'high' },
      { aaa: 'low', bbb: 'high', ccc: 'high' },
    ],
    [
      'of a dropped rule has no effect',
      [rule('aaa', { implies: 'bbb', requires: 'ccc' }), bbb, ccc],
      { aaa: 'high' },
      { aaa: null },
    ],
  ])('%s', (_, rules, page, levels) => check(rules, page, levels))

  test('points and families of the implied rule do not change', () => {
    const { evidence } = getVerdict([aaa, bbb], buildPageWith({ aaa: 'high', bbb: 'faint' }))
    expect(evidence.map(({ slug, points, level }) => [slug, points, level])).toEqual([
      ['aaa', 6, 'high'],
      ['bbb', 1, 'high'],
    ])
  })
})

describe('6 excludes', () => {
  const [aaa, bbb] = [rule('aaa', { excludes: 'bbb' }), rule('bbb')]
  test.each<Case>([
    ['drops the rule at the lower level', [aaa, bbb], { aaa: 'high', bbb: 'medium' }, { aaa: 'high', bbb: null }],
    [
      'drops the excluding rule if it has the lower level',
      [aaa, bbb],
      { aaa: 'low', bbb: 'medium' },
      { aaa: null, bbb: 'medium' },
    ],
    [
      'does not drop rules at the same level',
      [aaa, bbb],
      { aaa: 'medium', bbb: 'medium' },
      { aaa: 'medium', bbb: 'medium' },
    ],
    [
      'compares levels after implies',
      [aaa, bbb, rule('ccc', { implies: 'bbb' })],
      { aaa: 'medium', bbb: 'low', ccc: 'high' },
      { aaa: null, bbb: 'high', ccc: 'high' },
    ],
    [
      'is decided on the state before the step: rules that it drops still exclude',
      [aaa, rule('bbb', { excludes: 'ccc' }), rule('ccc')],
      { aaa: 'high', bbb: 'medium', ccc: 'low' },
      { aaa: 'high', bbb: null, ccc: null },
    ],
  ])('%s', (_, rules, page, levels) => check(rules, page, levels))
})
