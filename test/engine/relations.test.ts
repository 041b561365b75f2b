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
    ['is there at high', [aaa, bbb], { aaa: 'high', bbb: 'high' }, { aaa: 'high', bbb: 'high' }],
    ['is there at medium, below it', [aaa, bbb], { aaa: 'high', bbb: 'medium' }, { aaa: 'high', bbb: 'medium' }],
    ['low is not enough', [aaa, bbb], { aaa: 'high', bbb: 'low' }, { aaa: null, bbb: 'low' }],
    ['missing', [aaa, bbb], { aaa: 'high' }, { aaa: null }],
    [
      'each of several',
      [rule('aaa', { requires: ['bbb', 'ccc'] }), bbb, ccc],
      { aaa: 'high', bbb: 'high' },
      { aaa: null, bbb: 'high' },
    ],
    [
      'is decided on the state before: what goes in this step still counts',
      [aaa, rule('bbb', { requires: 'ccc' }), ccc],
      { aaa: 'high', bbb: 'high' },
      { aaa: 'high', bbb: null },
    ],
    [
      'comes before implies: what is only implied is not there yet',
      [aaa, bbb, rule('ccc', { implies: 'bbb' })],
      { aaa: 'high', ccc: 'high' },
      { aaa: null, bbb: 'high', ccc: 'high' },
    ],
    [
      'comes before excludes: what is excluded later was there',
      [aaa, bbb, rule('ccc', { excludes: 'bbb' })],
      { aaa: 'high', bbb: 'medium', ccc: 'high' },
      { aaa: 'high', bbb: null, ccc: 'high' },
    ],
  ])('%s', (_, rules, page, levels) => check(rules, page, levels))
})

describe('6 implies', () => {
  const [aaa, bbb, ccc] = [rule('aaa', { implies: 'bbb' }), rule('bbb'), rule('ccc')]
  test.each<Case>([
    ['names what is not seen', [aaa, bbb], { aaa: 'medium' }, { aaa: 'medium', bbb: 'medium' }],
    ['lifts what is lower', [aaa, bbb], { aaa: 'high', bbb: 'low' }, { aaa: 'high', bbb: 'high' }],
    ['lifts what is below low', [aaa, bbb], { aaa: 'low', bbb: 'faint' }, { aaa: 'low', bbb: 'low' }],
    ['leaves what is higher', [aaa, bbb], { aaa: 'low', bbb: 'high' }, { aaa: 'low', bbb: 'high' }],
    ['needs a level', [aaa, bbb], { aaa: 'faint' }, { aaa: null }],
    [
      'transitive',
      [aaa, rule('bbb', { implies: 'ccc' }), ccc],
      { aaa: 'high' },
      { aaa: 'high', bbb: 'high', ccc: 'high' },
    ],
    [
      'transitive past what stands lower by itself',
      [aaa, rule('bbb', { implies: 'ccc' }), ccc],
      { aaa: 'high', bbb: 'low', ccc: 'low' },
      { aaa: 'high', bbb: 'high', ccc: 'high' },
    ],
    [
      'the highest of two',
      [aaa, bbb, rule('ccc', { implies: 'bbb' })],
      { aaa: 'low', ccc: 'high' },
      { aaa: 'low', bbb: 'high', ccc: 'high' },
    ],
    [
      'of a dropped rule says nothing',
      [rule('aaa', { implies: 'bbb', requires: 'ccc' }), bbb, ccc],
      { aaa: 'high' },
      { aaa: null },
    ],
  ])('%s', (_, rules, page, levels) => check(rules, page, levels))

  test('points and families stay those of the other', () => {
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
    ['the lower goes', [aaa, bbb], { aaa: 'high', bbb: 'medium' }, { aaa: 'high', bbb: null }],
    [
      'the lower goes, also when it is the one that says so',
      [aaa, bbb],
      { aaa: 'low', bbb: 'medium' },
      { aaa: null, bbb: 'medium' },
    ],
    ['equals stay', [aaa, bbb], { aaa: 'medium', bbb: 'medium' }, { aaa: 'medium', bbb: 'medium' }],
    [
      'the level is that after implies',
      [aaa, bbb, rule('ccc', { implies: 'bbb' })],
      { aaa: 'medium', bbb: 'low', ccc: 'high' },
      { aaa: null, bbb: 'high', ccc: 'high' },
    ],
    [
      'is decided on the state before: what goes in this step still excludes',
      [aaa, rule('bbb', { excludes: 'ccc' }), rule('ccc')],
      { aaa: 'high', bbb: 'medium', ccc: 'low' },
      { aaa: 'high', bbb: null, ccc: null },
    ],
  ])('%s', (_, rules, page, levels) => check(rules, page, levels))
})
