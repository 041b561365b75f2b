import { describe, expect, test } from 'vitest'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { findMaxWeight, readClause } from '../../src/engine/rule/clause.ts'
import type { Weight } from '../../src/engine/rule/place.ts'
import { RuleSyntaxError } from '../../src/engine/rule/rule-syntax-error.ts'
import type { ClauseSource, Logic } from '../../src/engine/rule/types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import type { Level } from '../../src/engine/verdict/verdict-types.ts'
import { builder, buildPageWith, buildRuleset, compile, getVerdict, places, technology } from './support/tiny-rules.ts'

const html = (text: string): PageInput => ({ url: 'https://www.example.com/', html: text })

describe('1 the hit is the number of values that pass all tests', () => {
  test.each<[string, ClauseSource, PageInput, number | undefined]>([
    ['distinct URLs', { asset: 'cdn.net' }, html('<img src=//cdn.net/a><img src=//cdn.net/b>'), 2],
    [
      'one URL used three times',
      { asset: 'cdn.net' },
      html('<img src=//cdn.net/a><img src=https://cdn.net/a#x><p background=//cdn.net/a>'),
      1,
    ],
    ['URLs with different queries', { asset: 'cdn.net' }, html('<img src=//cdn.net/a?1><img src=//cdn.net/a?2>'), 2],
    ['each element', { element: 'p' }, html('<p>a<p>a<p>a'), 3],
    ['an element that matches two selectors', { element: ['p', '.x'] }, html('<p class=x>a'), 1],
    ['a meta tag with two names', { meta: ['one', 'two'] }, html('<meta name=one property=two content=x>'), 1],
    ['a text that contains the literal three times', { text: 'again' }, html('again again again'), 1],
    ['a text that contains two literals', { text: ['again', 'more'] }, html('again more'), 1],
    ['each comment', { comment: 'made by' }, html('<!-- made by a made by a --><!-- made by a --><!-- b -->'), 2],
    ['each header', { header: 'link' }, { headers: { link: ['a', 'a'] } }, 2],
    ['values that fail a test do not count', { element: 'p', has: 'x' }, html('<p>x<p>y<p>xx'), 2],
    [
      'one value has to pass all tests',
      { element: 'a', attr: 'href', has: 'x', is: 'y' },
      html('<a href=x></a><a href=y></a>'),
      undefined,
    ],
    ['the amount of a place that counts', { size: 'words' }, html('one two three'), 3],
    ['atLeast above an amount', { size: 'words', atLeast: 4 }, html('one two three'), undefined],
    ['atLeast reached', { element: 'p', atLeast: 3 }, html('<p>a<p>a<p>a'), 3],
    ['atLeast missed', { element: 'p', atLeast: 3 }, html('<p>a<p>a'), undefined],
    [
      'the clauses of a group that hold',
      { any: [{ element: 'p' }, { element: 'b' }, { element: 'i' }] },
      html('<p>a<p>a<b>b</b>'),
      2,
    ],
    [
      'of: enough clauses hold',
      { atLeast: 2, of: [{ element: 'p' }, { element: 'b' }, { element: 'i' }] },
      html('<p>a<b>b</b>'),
      2,
    ],
    [
      'of: too few clauses hold',
      { atLeast: 2, of: [{ element: 'p' }, { element: 'b' }, { element: 'i' }] },
      html('<p>a<p>a'),
      undefined,
    ],
    ['all with a not', { all: [{ element: 'p' }, { not: { element: 'b' } }] }, html('<p>a'), 2],
    ['all with a clause that fails', { all: [{ element: 'p' }, { element: 'b' }] }, html('<p>a'), undefined],
    ['a not that fails', { all: [{ element: 'p' }, { not: { element: 'b' } }] }, html('<p>a<b>b</b>'), undefined],
  ])('%s', (_, clause, page, hits) => {
    const [evidence] = getVerdict([technology('x', { detect: [clause] })], page).evidence
    expect(evidence?.clauses[0]?.hits).toBe(hits)
  })
})

const medium = (clause: ClauseSource): ClauseSource => ({ ...clause, weight: 'medium' })

describe('2 and 3 clauses that hold give points and a level', () => {
  const page: PageInput = {
    headers: { 'x-a': '1' },
    html: '<meta name=a content=1><title>aaa</title><script src=//a.com/x></script><p>one two three</p><b id=a></b>',
  }
  const [one, two, three] = ['one', 'two', 'three'].map((text) => ({ text }))
  test.each<[string, ClauseSource[], number, Level | null | undefined]>([
    ['nothing', [{ meta: 'b' }], 0, undefined],
    ['a strong clause', [{ meta: 'a' }], 6, 'high'],
    ['a strong clause and others', [{ meta: 'a' }, medium({ element: '#a' }), one, two], 6, 'high'],
    ['a medium clause', [medium({ meta: 'a' })], 3, 'medium'],
    ['two medium clauses of one family', [medium({ meta: 'a' }), medium({ title: 'aaa' })], 3, 'medium'],
    ['one script URL in two places', [{ script: 'a.com' }, { asset: 'a.com' }], 3, 'medium'],
    ['medium clauses of two families', [medium({ meta: 'a' }), medium({ element: '#a' })], 6, 'high'],
    [
      'medium clauses of three families',
      [medium({ meta: 'a' }), medium({ element: '#a' }), medium({ header: 'x-a' })],
      6,
      'high',
    ],
    ['a weak clause', [one], 1, null],
    ['a weak clause with two literals', [{ text: ['one', 'two'] }], 1, null],
    ['two weak clauses of one family', [one, two], 2, 'low'],
    ['three weak clauses', [one, two, three], 2, 'low'],
    ['a medium and a weak clause', [medium({ meta: 'a' }), one], 4, 'medium'],
    ['a medium and three weak clauses', [medium({ meta: 'a' }), one, two, three], 5, 'medium'],
    ['a strong clause that fails', [{ meta: 'b' }, medium({ element: '#a' })], 3, 'medium'],
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
])('4 the maximum weight of %j is also its default: %s', (clause, weight) => {
  expect(findMaxWeight(readClause(clause, places))).toBe(weight)
  expect(compile([technology('x', { detect: [clause] })])[0].clauses[0].weight).toBe(weight)
})

describe('5 a rule without hits has no points', () => {
  test('its expression is not evaluated', () => {
    expect(getVerdict([builder('a'), builder('b')], buildPageWith({ b: 'faint' })).cost.rulesEvaluated).toBe(1)
  })

  test.each<[string, ClauseSource]>([
    ['a not without another clause', { not: { meta: 'a' } }],
    ['a not in an any', { any: [{ meta: 'a' }, { not: { meta: 'b' } }] }],
    ['one of two, one a not', { atLeast: 1, of: [{ meta: 'a' }, { not: { meta: 'b' } }] }],
    ['a not of a not of a not', { all: [{ not: { meta: 'a' } }, { not: { not: { not: { meta: 'b' } } } }] }],
  ])('%s is an error', (_, clause) => {
    expect(() => compile([technology('x', { detect: [clause] })])).toThrow(RuleSyntaxError)
  })
})

describe('a group is evaluated only by JSON Logic', () => {
  const rules = compile([builder('a', { detect: [{ all: [{ meta: 'a' }, { header: 'x-a' }] }] })])
  test.each<[Logic, Level | null]>([
    [rules[0].clauses[0].holds, 'high'],
    [false, null],
    [{ '>=': [{ var: ['c2', 0] }, 2] }, null],
    [{ '!': [{ '>=': [{ var: ['c2', 0] }, 2] }] }, 'high'],
  ])('with the expression %j the level is %s', (holds, confidence) => {
    const changed = rules.map((rule) => ({ ...rule, clauses: rule.clauses.map((one) => ({ ...one, holds })) }))
    const page = buildPage(buildPageWith({ a: ['high', 'header'] }))
    expect(detect(buildRuleset(changed), page).confidence).toBe(confidence)
  })
})
