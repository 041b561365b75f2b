import { describe, expect, test } from 'vitest'
import type { Level } from '../../src/engine/verdict/verdict-types.ts'
import { builder, buildPageWith, getVerdict, type TinyRule, technology } from './support/tiny-rules.ts'

type Case = [string, TinyRule[], Parameters<typeof buildPageWith>[0], [string, Level] | [null, null]]

function check(rules: TinyRule[], page: Case[2], expected: Case[3]): void {
  const { builderSlug, confidence } = getVerdict(rules, buildPageWith(page))
  expect([builderSlug, confidence]).toEqual(expected)
}

const [aaa, bbb, ccc] = [builder('aaa'), builder('bbb'), builder('ccc')]
// Gives 5 points of one family on any page that contains both texts.
const oneFamily = builder('aaa', {
  detect: [{ size: 'words', weight: 'medium' }, { text: 'aaa one' }, { text: 'aaa two' }],
})
const low = builder('low', { category: 'generator' })

describe('7 choosing the builder', () => {
  test.each<Case>([
    ['no builder without hits', [aaa], {}, [null, null]],
    ['no builder below low', [aaa], { aaa: 'faint' }, [null, null]],
    ['a builder at low is named', [aaa], { aaa: 'low' }, ['aaa', 'low']],
    ['a technology is never the builder', [technology('aaa')], { aaa: 'high' }, [null, null]],
    ['the higher level wins', [aaa, bbb], { aaa: 'medium', bbb: 'high' }, ['bbb', 'high']],
    ['level is compared before families', [aaa, bbb], { aaa: ['medium', 'faint'], bbb: 'script' }, ['bbb', 'high']],
    ['more families win', [aaa, bbb], { aaa: 'high', bbb: ['high', 'header'] }, ['bbb', 'high']],
    [
      'two clauses of one family count as one family',
      [aaa, bbb],
      { aaa: 'high', bbb: ['header', 'cookie'] },
      ['aaa', 'medium'],
    ],
    [
      'families are compared before points',
      [oneFamily, builder('zzz')],
      { aaa: ['low'], zzz: ['medium', 'faint'] },
      ['zzz', 'medium'],
    ],
    [
      'points are compared after families',
      [aaa, bbb],
      { aaa: ['medium', 'faint'], bbb: ['medium', 'low'] },
      ['bbb', 'medium'],
    ],
    ['the slug decides last', [bbb, aaa], { aaa: 'medium', bbb: 'medium' }, ['aaa', 'medium']],
    [
      'a low-priority builder loses to a builder at medium',
      [low, aaa],
      { low: 'high', aaa: 'medium' },
      ['aaa', 'medium'],
    ],
    ['a low-priority builder wins over a builder at low', [low, aaa], { low: 'high', aaa: 'low' }, ['low', 'high']],
    [
      'normal priority alone does not make a low builder win over a medium one',
      [low, aaa, bbb],
      { low: 'high', aaa: 'low', bbb: 'medium' },
      ['bbb', 'medium'],
    ],
    ['a low-priority builder is named if it is the only one', [low], { low: 'low' }, ['low', 'low']],
    [
      'the implying builder is the more specific one',
      [builder('bbb', { implies: 'aaa' }), aaa],
      { aaa: ['high', 'header'], bbb: 'high' },
      ['bbb', 'high'],
    ],
    [
      'over two steps of implies',
      [builder('ccc', { implies: 'bbb' }), builder('bbb', { implies: 'aaa' }), aaa],
      { aaa: ['high', 'header'], ccc: 'high' },
      ['ccc', 'high'],
    ],
    [
      'an implying builder at a lower level does not win',
      [builder('bbb', { implies: 'aaa' }), aaa],
      { aaa: 'high', bbb: 'medium' },
      ['aaa', 'high'],
    ],
    [
      'a builder that a low-priority builder implies wins over it',
      [builder('low', { category: 'generator', implies: 'aaa' }), aaa],
      { low: 'high' },
      ['aaa', 'high'],
    ],
    [
      'a technology can lift a builder',
      [technology('ttt', { implies: 'aaa' }), aaa],
      { ttt: 'high', aaa: 'low' },
      ['aaa', 'high'],
    ],
    [
      'an excluded builder is dropped',
      [builder('bbb', { excludes: 'aaa' }), aaa],
      { aaa: ['medium', 'low'], bbb: 'high' },
      ['bbb', 'high'],
    ],
  ])('%s', (_, rules, page, expected) => check(rules, page, expected))

  test('category, name and isAiNative come from the rule', () => {
    const rule = builder('aaa', { name: 'Aha', aiNative: true })
    expect(getVerdict([rule], buildPageWith({ aaa: 'high' }))).toMatchObject({
      builder: 'Aha',
      category: 'cms',
      isAiNative: true,
    })
    expect(getVerdict([rule], buildPageWith({}))).toMatchObject({
      builder: null,
      category: null,
      isAiNative: false,
      confidence: null,
    })
  })
})

describe('8 conflicts between builders', () => {
  const all = { aaa: 'high', bbb: 'high', ccc: 'high' } as const
  test.each<Case>([
    [
      'two at high with the same number of families: medium',
      [aaa, bbb],
      { aaa: 'high', bbb: 'header' },
      ['aaa', 'medium'],
    ],
    [
      'two at high, one with more families: high',
      [aaa, bbb],
      { aaa: ['high', 'header'], bbb: 'high' },
      ['aaa', 'high'],
    ],
    ['one at high, one at medium: high', [aaa, bbb], { aaa: 'high', bbb: 'medium' }, ['aaa', 'high']],
    ['two at medium: medium', [aaa, bbb], { aaa: 'medium', bbb: 'medium' }, ['aaa', 'medium']],
    [
      'two that exclude each other at high: medium',
      [builder('aaa', { excludes: 'bbb' }), bbb],
      { aaa: 'high', bbb: 'high' },
      ['aaa', 'medium'],
    ],
    ['a low-priority builder cannot conflict', [low, bbb], { low: 'high', bbb: 'high' }, ['bbb', 'high']],
    [
      'an implied builder cannot conflict',
      [builder('aaa', { implies: 'bbb' }), bbb],
      { aaa: 'high', bbb: 'high' },
      ['aaa', 'high'],
    ],
    ['three: a honeypot', [aaa, bbb, ccc], all, ['aaa', 'low']],
    ['three, the winner has more families', [aaa, bbb, ccc], { ...all, ccc: ['high', 'header'] }, ['ccc', 'low']],
    ['three strong, one only by an asset: no honeypot', [aaa, bbb, ccc], { ...all, ccc: 'script' }, ['aaa', 'medium']],
    [
      'three strong, one by an asset and a header: a honeypot',
      [aaa, bbb, ccc],
      { ...all, ccc: ['script', 'header'] },
      ['ccc', 'low'],
    ],
    [
      'three at high, one without a strong clause: no honeypot',
      [aaa, bbb, ccc],
      { ...all, ccc: ['medium', 'cookie'] },
      ['ccc', 'high'],
    ],
    ['three, one implied: no honeypot', [aaa, builder('bbb', { implies: 'ccc' }), ccc], all, ['aaa', 'medium']],
    [
      'three, one with low priority: no honeypot',
      [aaa, bbb, low],
      { aaa: 'high', bbb: 'high', low: 'high' },
      ['aaa', 'medium'],
    ],
    [
      'three, one dropped by requires: no honeypot',
      [aaa, bbb, builder('ccc', { requires: 'ddd' })],
      all,
      ['aaa', 'medium'],
    ],
  ])('%s', (_, rules, page, expected) => check(rules, page, expected))
})
