import { describe, expect, test } from 'vitest'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { findMaxWeight, readClause } from '../../src/engine/rule/clause.ts'
import { RuleSyntaxError } from '../../src/engine/rule/rule-syntax-error.ts'
import type { ClauseSource, Logic, Weight } from '../../src/engine/rule/types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import type { Level } from '../../src/engine/verdict/verdict-types.ts'
import { builder, buildPageWith, buildRuleset, compile, getVerdict, places, technology } from './support/tiny-rules.ts'

const html = (text: string): PageInput => ({ url: 'https://www.example.com/', html: text })

describe('1 a hit is the number of values that pass', () => {
  test.each<[string, ClauseSource, PageInput, number | undefined]>([
    ['distinct URLs', { asset: 'cdn.net' }, html('<img src=//cdn.net/a><img src=//cdn.net/b>'), 2],
    [
      'one URL, three times',
      { asset: 'cdn.net' },
      html('<img src=//cdn.net/a><img src=https://cdn.net/a#x><p background=//cdn.net/a>'),
      1,
    ],
    ['a query makes another URL', { asset: 'cdn.net' }, html('<img src=//cdn.net/a?1><img src=//cdn.net/a?2>'), 2],
    ['each element', { element: 'p' }, html('<p>a<p>a<p>a'), 3],
    ['an element of two selectors', { element: ['p', '.x'] }, html('<p class=x>a'), 1],
    ['a tag of two names', { meta: ['one', 'two'] }, html('<meta name=one property=two content=x>'), 1],
    ['a text once', { text: 'again' }, html('again again again'), 1],
    ['a text of two literals', { text: ['again', 'more'] }, html('again more'), 1],
    ['each comment', { comment: 'made by' }, html('<!-- made by a made by a --><!-- made by a --><!-- b -->'), 2],
    ['each header', { header: 'link' }, { headers: { link: ['a', 'a'] } }, 2],
    ['values that fail a test are none', { element: 'p', has: 'x' }, html('<p>x<p>y<p>xx'), 2],
    [
      'all tests on one value',
      { element: 'a', attr: 'href', has: 'x', is: 'y' },
      html('<a href=x></a><a href=y></a>'),
      undefined,
    ],
    ['the amount', { size: 'words' }, html('one two three'), 3],
    ['atLeast of an amount', { size: 'words', atLeast: 4 }, html('one two three'), undefined],
    ['atLeast reached', { element: 'p', atLeast: 3 }, html('<p>a<p>a<p>a'), 3],
    ['atLeast missed', { element: 'p', atLeast: 3 }, html('<p>a<p>a'), undefined],
    [
      'a group: clauses that hold',
      { any: [{ element: 'p' }, { element: 'b' }, { element: 'i' }] },
      html('<p>a<p>a<b>b</b>'),
      2,
    ],
    ['of: enough', { atLeast: 2, of: [{ element: 'p' }, { element: 'b' }, { element: 'i' }] }, html('<p>a<b>b</b>'), 2],
    [
      'of: too few',
      { atLeast: 2, of: [{ element: 'p' }, { element: 'b' }, { element: 'i' }] },
      html('<p>a<p>a'),
      undefined,
    ],
    ['all, a not too', { all: [{ element: 'p' }, { not: { element: 'b' } }] }, html('<p>a'), 2],
    ['all, one missing', { all: [{ element: 'p' }, { element: 'b' }] }, html('<p>a'), undefined],
    ['a not that fails', { all: [{ element: 'p' }, { not: { element: 'b' } }] }, html('<p>a<b>b</b>'), undefined],
  ])('%s', (_, clause, page, hits) => {
    const [evidence] = getVerdict([technology('x', { detect: [clause] })], page).evidence
    expect(evidence?.clauses[0]?.hits).toBe(hits)
  })
})

const medium = (clause: ClauseSource): ClauseSource => ({ ...clause, weight: 'medium' })

describe('2 and 3 from clauses that hold to points and level', () => {
  const page: PageInput = {
    headers: { 'x-a': '1' },
    html: '<meta name=a content=1><title>aaa</title><script src=//a.com/x></script><p>one two three</p><b id=a></b>',
  }
  const [one, two, three] = ['one', 'two', 'three'].map((text) => ({ text }))
  test.each<[string, ClauseSource[], number, Level | null | undefined]>([
    ['nothing', [{ meta: 'b' }], 0, undefined],
    ['a strong clause', [{ meta: 'a' }], 6, 'high'],
    ['strong and all else', [{ meta: 'a' }, medium({ element: '#a' }), one, two], 6, 'high'],
    ['a medium', [medium({ meta: 'a' })], 3, 'medium'],
    ['two mediums of one family', [medium({ meta: 'a' }), medium({ title: 'aaa' })], 3, 'medium'],
    ['one script URL at two places', [{ script: 'a.com' }, { asset: 'a.com' }], 3, 'medium'],
    ['two families', [medium({ meta: 'a' }), medium({ element: '#a' })], 6, 'high'],
    ['three families', [medium({ meta: 'a' }), medium({ element: '#a' }), medium({ header: 'x-a' })], 6, 'high'],
    ['a weak', [one], 1, null],
    ['a weak of two literals', [{ text: ['one', 'two'] }], 1, null],
    ['two weak of one family', [one, two], 2, 'low'],
    ['three weak', [one, two, three], 2, 'low'],
    ['a medium and a weak', [medium({ meta: 'a' }), one], 4, 'medium'],
    ['a medium and three weak', [medium({ meta: 'a' }), one, two, three], 5, 'medium'],
    ['a strong one that fails', [{ meta: 'b' }, medium({ element: '#a' })], 3, 'medium'],
  ])('%s', (_, detect, points, level) => {
    const [evidence] = getVerdict([technology('x', { detect })], page).evidence
    expect([evidence?.points ?? 0, evidence?.level]).toEqual([points, level])
  })
})

test.each<[ClauseSource, Weight]>([
  [{ text: 'abc' }, 'weak'],
  [{ html: 'abc' }, 'weak'],
  [{ anchor: 'x.com' }, 'strong'],
  [{ size: 'words' }, 'strong'],
  [{ url: '.x.com' }, 'strong'],
  [{ meta: 'a', under: 'x.com' }, 'strong'],
  [{ script: 'x.com' }, 'medium'],
  [{ asset: '.x.com' }, 'medium'],
  [{ frame: 'docs.*' }, 'medium'],
  [{ script: 'x.com/p' }, 'strong'],
  [{ asset: '/p/' }, 'strong'],
  [{ asset: ['x.com/p', 'y.com'] }, 'medium'],
  [{ link: 'stylesheet' }, 'strong'],
  [{ link: 'stylesheet', under: 'x.com' }, 'medium'],
  [{ link: 'stylesheet', under: 'x.com/p' }, 'strong'],
  [{ found: 'a' }, 'medium'],
  [{ all: [{ status: 404 }, { text: 'abc' }] }, 'strong'],
  [{ all: [{ text: 'abc' }, { html: 'abc' }] }, 'weak'],
  [{ all: [{ script: 'x.com' }, { text: 'abc' }] }, 'medium'],
  [{ all: [{ text: 'abc' }, { not: { meta: 'a' } }] }, 'weak'],
  [{ any: [{ script: 'x.com' }, { asset: '/p/' }] }, 'medium'],
  [{ atLeast: 2, of: [{ text: 'abc' }, { script: 'x.com' }, { meta: 'a' }] }, 'medium'],
])('4 the most %j may weigh is its usual weight: %s', (clause, weight) => {
  expect(findMaxWeight(readClause(clause, places))).toBe(weight)
  expect(compile([technology('x', { detect: [clause] })])[0].clauses[0].weight).toBe(weight)
})

describe('5 a rule without hits scores nothing', () => {
  test('and is never evaluated', () => {
    expect(getVerdict([builder('a'), builder('b')], buildPageWith({ b: 'faint' })).cost.rulesEvaluated).toBe(1)
  })

  test.each<[string, ClauseSource]>([
    ['a lone not', { not: { meta: 'a' } }],
    ['a not in an any', { any: [{ meta: 'a' }, { not: { meta: 'b' } }] }],
    ['one of two, one a not', { atLeast: 1, of: [{ meta: 'a' }, { not: { meta: 'b' } }] }],
    ['a not of a not of a not', { all: [{ not: { meta: 'a' } }, { not: { not: { not: { meta: 'b' } } } }] }],
  ])('%s is refused', (_, clause) => {
    expect(() => compile([technology('x', { detect: [clause] })])).toThrow(RuleSyntaxError)
  })
})

describe('JSON Logic is the only way from hits to points', () => {
  test.each<[Logic, Level | null]>([
    [6, 'high'],
    [3, 'medium'],
    [{ '+': [1, 1] }, 'low'],
    [0, null],
  ])('an expression that is made %j decides the verdict: %s', (logic, confidence) => {
    const rules = compile([builder('a')]).map((rule) => ({ ...rule, logic }))
    expect(detect(buildRuleset(rules), buildPage(buildPageWith({ a: 'high' }))).confidence).toBe(confidence)
  })
})
