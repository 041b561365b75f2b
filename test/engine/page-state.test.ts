import { describe, expect, test } from 'vitest'
import type { PageInput } from '../../src/engine/page/page.ts'
import { builder, getVerdict, hosting, response, siteType } from './support/tiny-rules.ts'

const document = (body: string, head = ''): string =>
  `<!doctype html><html><head>${head}</head><body>${body}</body></html>`
const shop = document('<h1>Bowls</h1><p>Thrown on Mondays.</p>', '<meta name="kiln" content="1">')

describe('without a rule, the status code decides', () => {
  test.each<[string, PageInput, string]>([
    ['no status', { html: shop }, 'site'],
    ['200', { status: 200, html: shop }, 'site'],
    ['301 that was not followed', { status: 301, html: shop }, 'site'],
    ['400', { status: 400, html: shop }, 'error'],
    ['401', { status: 401, html: shop }, 'login'],
    ['403', { status: 403, html: shop }, 'wall'],
    ['404', { status: 404, html: shop }, 'missing'],
    ['410', { status: 410, html: shop }, 'missing'],
    ['429', { status: 429, html: shop }, 'wall'],
    ['451', { status: 451, html: shop }, 'wall'],
    ['500', { status: 500, html: shop }, 'error'],
    ['503', { status: 503, html: shop }, 'error'],
    ['503 for some time', { status: 503, headers: { 'retry-after': '120' }, html: shop }, 'maintenance'],
    ['530', { status: 530, html: shop }, 'error'],
  ])('%s', (_, input, state) => {
    expect(getVerdict([builder('kiln')], input).page).toEqual({ state, by: null, status: input.status ?? null })
  })
})

describe('a page that shows nothing is empty', () => {
  test.each<[string, string, string]>([
    ['no body was looked at', '', 'site'],
    ['no element', document(''), 'empty'],
    ['boxes', document('<div><span> </span></div>'), 'empty'],
    ['a comment', document('<!-- nothing -->'), 'empty'],
    ['text', document('<p>a</p>'), 'site'],
    ['only punctuation', document('<p>…</p>'), 'site'],
    ['a title', document('', '<title>Bowls</title>'), 'site'],
    ['an image', document('<img src="a.png">'), 'site'],
    ['a script', document('', '<script src="a.js"></script>'), 'site'],
    ['a script of its own', document('<script>draw()</script>'), 'site'],
    ['a frame', document('<iframe src="/a"></iframe>'), 'site'],
  ])('%s', (_, html, state) => {
    expect(getVerdict([], { html }).page.state).toBe(state)
  })
})

const wall = response('guard', { state: 'wall', by: 'yard', detect: [{ title: 'Halt' }] })
const own = response('own-404', { state: 'missing', ofSite: true, detect: [{ title: 'Nothing here' }] })
const halt = document('<p>Stop.</p>', '<title>Halt</title><meta name="kiln" content="1">')

describe('a response rule decides', () => {
  const rules = [builder('kiln'), hosting('yard'), wall, own]

  test('what came back, also with status 200, and says it', () => {
    const verdict = getVerdict(rules, { status: 200, html: halt })
    expect(verdict.page).toEqual({ state: 'wall', by: 'YARD', status: 200 })
    expect(verdict.warnings[0]).toBe(
      'the answer is not the site but a check of visitors or a refusal (YARD, status 200)',
    )
    expect(verdict.evidence.find(({ kind }) => kind === 'response')).toMatchObject({ slug: 'guard', chosen: true })
  })

  test.each<[string, PageInput, string | null, string | null]>([
    ['the code of a wall names no builder', { html: halt }, null, 'YARD'],
    ['a header of a wall names one', { html: halt, headers: { 'x-kiln': '1' } }, 'KILN', 'YARD'],
    [
      'the code of a page of the site names one',
      { html: document('<p>Gone.</p>', '<title>Nothing here</title><meta name="kiln" content="1">') },
      'KILN',
      null,
    ],
    ['a 404 in the dress of the site names one', { status: 404, html: shop }, 'KILN', null],
  ])('%s', (_, input, name, host) => {
    expect(getVerdict(rules, input)).toMatchObject({ builder: name, hosting: host })
  })

  test.each<[string, Parameters<typeof response>[1][], string]>([
    ['one that names whose answer it is goes first', [{ state: 'wall' }, { state: 'error', by: 'yard' }], 'error'],
    ['then the first by its slug', [{ state: 'error' }, { state: 'wall' }], 'error'],
  ])('%s', (_, both, state) => {
    const two = both.map((more, i) => response(`rule-${i}`, { ...more, detect: [{ title: 'Halt' }] }))
    expect(getVerdict([hosting('yard'), ...two], { html: halt }).page.state).toBe(state)
  })
})

test.each([
  ['instead of the name of its rule', { by: 'yard', byName: 'Shed' }, 'Shed', 'YARD'],
  ['of a product without a rule', { byName: 'Shed' }, 'Shed', null],
])('a response has a name %s', (_, more, by, host) => {
  const rules = [hosting('yard'), response('a-wall', { state: 'error', detect: [{ title: 'Halt' }] })]
  const named = response('guard', { state: 'wall', detect: [{ title: 'Halt' }], ...more })
  const verdict = getVerdict([...rules, named], { html: halt })
  expect(verdict.page).toEqual({ state: 'wall', by, status: null })
  expect(verdict.hosting).toBe(host)
})

test('the site type of a wall is null', () => {
  const html = document(`<p>${'bowl jug plate cup '.repeat(10)}</p>`, '<title>Halt</title>')
  const shopType = siteType('shop', { detect: [{ title: 'Halt', points: { shop: 50 } }] })
  expect(getVerdict([shopType], { html }).siteType).toBe('shop')
  expect(getVerdict([shopType, wall, hosting('yard')], { html }).siteType).toBeNull()
})
