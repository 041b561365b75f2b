import { describe, expect, test } from 'vitest'
import type { Level } from '../../src/engine/verdict/verdict-types.ts'
import { builder, buildPageWith, getVerdict, type TinyRule, technology } from './support/tiny-rules.ts'

type Case = [string, TinyRule[], Parameters<typeof buildPageWith>[0], [string, Level] | [null, null]]

function check(rules: TinyRule[], page: Case[2], expected: Case[3]): void {
  const { builderSlug, confidence } = getVerdict(rules, buildPageWith(page))
  expect([builderSlug, confidence]).toEqual(expected)
}

const [aaa, bbb, ccc] = [builder('aaa'), builder('bbb'), builder('ccc')]
// On any page of some words that has its two texts: 5 points of one family.
const crowded = builder('aaa', {
  detect: [{ size: 'words', weight: 'medium' }, { text: 'aaa one' }, { text: 'aaa two' }],
})
const back = builder('back', { category: 'generator' })

describe('7 the builder', () => {
  test.each<Case>([
    ['none', [aaa], {}, [null, null]],
    ['below low is none', [aaa], { aaa: 'faint' }, [null, null]],
    ['low is one', [aaa], { aaa: 'low' }, ['aaa', 'low']],
    ['a technology is none', [technology('aaa')], { aaa: 'high' }, [null, null]],
    ['the higher level', [aaa, bbb], { aaa: 'medium', bbb: 'high' }, ['bbb', 'high']],
    ['level before families', [aaa, bbb], { aaa: ['medium', 'faint'], bbb: 'script' }, ['bbb', 'high']],
    ['more families', [aaa, bbb], { aaa: 'high', bbb: ['high', 'header'] }, ['bbb', 'high']],
    ['two clauses of one family are one', [aaa, bbb], { aaa: 'high', bbb: ['header', 'cookie'] }, ['aaa', 'medium']],
    [
      'families before points',
      [crowded, builder('zzz')],
      { aaa: ['low'], zzz: ['medium', 'faint'] },
      ['zzz', 'medium'],
    ],
    ['points after families', [aaa, bbb], { aaa: ['medium', 'faint'], bbb: ['medium', 'low'] }, ['bbb', 'medium']],
    ['slug', [bbb, aaa], { aaa: 'medium', bbb: 'medium' }, ['aaa', 'medium']],
    ['one that stands back comes after a medium', [back, aaa], { back: 'high', aaa: 'medium' }, ['aaa', 'medium']],
    ['but not after a low', [back, aaa], { back: 'high', aaa: 'low' }, ['back', 'high']],
    [
      'a low one beside a medium one is not chosen for standing in front',
      [back, aaa, bbb],
      { back: 'high', aaa: 'low', bbb: 'medium' },
      ['bbb', 'medium'],
    ],
    ['one that stands back, alone', [back], { back: 'low' }, ['back', 'low']],
    [
      'who implies is the more specific',
      [builder('bbb', { implies: 'aaa' }), aaa],
      { aaa: ['high', 'header'], bbb: 'high' },
      ['bbb', 'high'],
    ],
    [
      'by two steps',
      [builder('ccc', { implies: 'bbb' }), builder('bbb', { implies: 'aaa' }), aaa],
      { aaa: ['high', 'header'], ccc: 'high' },
      ['ccc', 'high'],
    ],
    [
      'but not who stands lower',
      [builder('bbb', { implies: 'aaa' }), aaa],
      { aaa: 'high', bbb: 'medium' },
      ['aaa', 'high'],
    ],
    [
      'implied from one that stands back: it comes after',
      [builder('back', { category: 'generator', implies: 'aaa' }), aaa],
      { back: 'high' },
      ['aaa', 'high'],
    ],
    [
      'lifted by a technology',
      [technology('ttt', { implies: 'aaa' }), aaa],
      { ttt: 'high', aaa: 'low' },
      ['aaa', 'high'],
    ],
    [
      'excluded ones are out',
      [builder('bbb', { excludes: 'aaa' }), aaa],
      { aaa: ['medium', 'low'], bbb: 'high' },
      ['bbb', 'high'],
    ],
  ])('%s', (_, rules, page, expected) => check(rules, page, expected))

  test('category, name and isAiNative are those of the rule', () => {
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

describe('8 conflict', () => {
  const all = { aaa: 'high', bbb: 'high', ccc: 'high' } as const
  test.each<Case>([
    ['two at high with as many families: medium', [aaa, bbb], { aaa: 'high', bbb: 'header' }, ['aaa', 'medium']],
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
    ['one that stands back is no candidate', [back, bbb], { back: 'high', bbb: 'high' }, ['bbb', 'high']],
    ['nor is an implied one', [builder('aaa', { implies: 'bbb' }), bbb], { aaa: 'high', bbb: 'high' }, ['aaa', 'high']],
    ['three: a honeypot', [aaa, bbb, ccc], all, ['aaa', 'low']],
    ['three, the winner with more families', [aaa, bbb, ccc], { ...all, ccc: ['high', 'header'] }, ['ccc', 'low']],
    ['three strong, one an asset alone: no honeypot', [aaa, bbb, ccc], { ...all, ccc: 'script' }, ['aaa', 'medium']],
    [
      'three strong, one an asset and more: a honeypot',
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
      'three, one that stands back: no honeypot',
      [aaa, bbb, back],
      { aaa: 'high', bbb: 'high', back: 'high' },
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
