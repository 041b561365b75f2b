import { describe, expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { getVerdict, technology } from './support/tiny-rules.ts'

const HTML = '<!-- here --><meta name=yes content=1><meta name=also content=1>'
const yes: ClauseSource = { meta: 'yes' }
const also: ClauseSource = { meta: 'also' }
const no: ClauseSource = { meta: 'no' }
const unknown: ClauseSource = { header: 'x-a' }

/** Evaluates a clause. Returns whether it holds, and the unseen places in the evidence. */
function evaluate(clause: ClauseSource, page: PageInput): [boolean, readonly string[]] {
  const rule = technology('x', { detect: [clause, { comment: 'here', weight: 'medium' }] })
  const [{ points, unseen }] = getVerdict([rule], { html: HTML, ...page }).evidence
  return [points > 3, unseen]
}

const groups: [string, ClauseSource, whenUnseen: boolean, whenSeen: boolean][] = [
  ['unknown', unknown, false, false],
  ['true and unknown', { all: [yes, unknown] }, false, false],
  ['true and not unknown', { all: [yes, { not: unknown }] }, false, true],
  ['false and not unknown', { all: [no, { not: unknown }] }, false, false],
  ['true or unknown', { any: [yes, unknown] }, true, true],
  ['false or not unknown', { all: [yes, { any: [no, { not: unknown }] }] }, false, true],
  ['true or not unknown', { all: [yes, { any: [also, { not: unknown }] }] }, true, true],
  ['two of true, true, unknown', { atLeast: 2, of: [yes, also, { not: unknown }] }, true, true],
  ['two of true, false, not unknown', { atLeast: 2, of: [yes, no, { not: unknown }] }, false, true],
  ['not of false and unknown', { all: [yes, { not: { all: [no, unknown] } }] }, true, true],
  ['not of true and unknown', { all: [yes, { not: { all: [also, unknown] } }] }, false, true],
  ['not of true or unknown', { all: [yes, { not: { any: [also, unknown] } }] }, false, false],
  ['not of false or unknown', { all: [yes, { not: { any: [no, unknown] } }] }, false, true],
  ['not of two of true, false, unknown', { all: [yes, { not: { atLeast: 2, of: [also, no, unknown] } }] }, false, true],
  ['not of two of false, false, unknown', { all: [yes, { not: { atLeast: 2, of: [no, no, unknown] } }] }, true, true],
  ['not of not unknown', { all: [yes, { not: { not: unknown } }] }, false, false],
]

describe('groups follow three-valued logic', () => {
  test.each(groups)('%s', (_, clause, whenUnseen, whenSeen) => {
    expect(evaluate(clause, {})).toEqual([whenUnseen, ['header']])
    expect(evaluate(clause, { headers: {} })).toEqual([whenSeen, []])
  })

  test.each<[string, ClauseSource, PageInput, boolean, string[]]>([
    ['dns, not queried', { dns: 'txt' }, {}, false, ['dns']],
    ['dns, another type queried', { dns: 'txt' }, { dns: { a: [] } }, false, ['dns']],
    ['dns, another label queried', { dns: 'txt _a' }, { dns: { txt: [], 'txt _b': [] } }, false, ['dns']],
    ['dns, one of two types queried', { dns: ['txt', 'a'] }, { dns: { a: [] } }, false, ['dns']],
    ['dns, queried and empty', { dns: ['txt', 'a'] }, { dns: { a: [], TXT: [] } }, true, []],
    ['atLeast of an unseen place', { cookie: 'a', atLeast: 3 }, {}, false, ['cookie']],
    ['atLeast of a seen place', { cookie: 'a', atLeast: 2 }, { headers: { 'set-cookie': 'a=1' } }, true, []],
    ['a place that every page has is always seen', { frame: 'x.com' }, { html: HTML }, true, []],
  ])('not %s', (_, clause, page, expected, unseen) => {
    expect(evaluate({ all: [yes, { not: clause }] }, page)).toEqual([expected, unseen])
  })

  test('a hit is known even if only a part of the place was seen', () => {
    const clause: ClauseSource = { dns: ['txt', 'a'] }
    expect(evaluate(clause, { dns: { a: ['192.0.2.1'] } })[0]).toBe(true)
    expect(evaluate({ all: [yes, { not: { not: clause } }] }, { dns: { a: ['192.0.2.1'] } })[0]).toBe(true)
  })
})

describe('own and other', () => {
  const own = (from: string): ClauseSource => ({ asset: '/logo.png', from })
  test.each<[string, string, string | null, boolean, boolean]>([
    ['relative URL', '/logo.png', 'https://a.example.com/', true, false],
    ['relative URL, page address unknown', '/logo.png', null, true, false],
    ['same registrable domain', '//cdn.example.com/logo.png', 'https://a.example.com/', true, false],
    ['another domain', '//example.net/logo.png', 'https://a.example.com/', false, true],
    ['a private suffix', '//b.github.io/logo.png', 'https://a.github.io/', false, true],
    ['absolute URL, page address unknown', '//example.net/logo.png', null, false, false],
  ])('%s', (_, src, url, isOwn, isOther) => {
    const page: PageInput = { url, html: `${HTML}<img src="${src}">` }
    expect([evaluate(own('own'), page)[0], evaluate(own('other'), page)[0]]).toEqual([isOwn, isOther])
  })
})
