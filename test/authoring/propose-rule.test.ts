import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { type ProposalRequest, proposeRule } from '../../src/authoring/propose/propose-rule.ts'
import type { KnownRules } from '../../src/authoring/propose/rank-traits.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import type { PageInput } from '../../src/index.ts'
import { countRuns } from '../support/property-runs.ts'

const ruleset = Ruleset.of(
  {
    rules: [],
    categories: { builders: { cms: {} }, technologies: {} },
    version: '',
  },
  detectors,
)
/** Words that count as ordinary, because the tests of many rules contain them. */
const ORDINARY =
  'data script loader main static assets css js app site page images built with made by this was the in id'
const known = (...texts: string[]): KnownRules => ({
  ruleset,
  detectors,
  pages: [ORDINARY, ...texts].map((text) => ({ text, readInputs: () => [{ html: text }] })),
})
const request: ProposalRequest = { kind: 'builder', slug: 'kilnwork', category: null }
const propose = (html: string, more: PageInput = {}, rules = known()) => {
  const proposal = proposeRule({ html, ...more }, request, rules)
  return (proposal?.rule.match(/^ {2}- .*$/gm) ?? []).map((line) => line.slice(4))
}

describe('a clause is proposed for', () => {
  test.each<[what: string, html: string, clause: string]>([
    [
      'a generator with a version',
      '<meta name=generator content="Kilnwork 2.1">',
      "{ meta: generator, match: '^Kilnwork(?: ([\\d.]+))?', version: 1 }",
    ],
    ['a generator', '<meta name=generator content="Kilnwork">', '{ meta: generator, is: Kilnwork }'],
    [
      'a generator with more text',
      '<meta name=generator content="Kilnwork (x)">',
      '{ meta: generator, has: Kilnwork }',
    ],
    ['a meta tag', '<meta name=kilnwork-site content=9>', '{ meta: kilnwork-site }'],
    [
      'a host, with the path up to an identifier',
      '<script src=https://cdn.kilnwork.io/static/8f14e45fceea/main.js></script>',
      '{ script: cdn.kilnwork.io/static }',
    ],
    [
      'a host below which each customer has one',
      '<script src=https://qvzjx.kilnwork.io/main.js></script>',
      '{ script: .kilnwork.io }',
    ],
    [
      'a picture on a host',
      '<img src=https://kilnwork.io/images/jorun.png>',
      '{ asset: kilnwork.io/images, weight: medium }',
    ],
    ['an own path', '<script src=/_kilnwork/main.js></script>', '{ script: /_kilnwork/, from: own }'],
    [
      'a file of the own host with a version',
      '<script src=/js/kilnwork-2.4.1.min.js></script>',
      '{ script: /kilnwork-*, from: own, match: /kilnwork-(\\d+(?:\\.\\d+)+), version: 1 }',
    ],
    [
      'a package with a version',
      '<script src=https://cdn.pages.net/app/kilnwork@2.4/assets/main.js></script>',
      '{ script: cdn.pages.net/app/kilnwork@*, match: /kilnwork@(\\d+(?:\\.\\d+)+), version: 1 }',
    ],
    [
      'a folder that is a version',
      '<script src="https://cdn.kilnwork.io/sdk/v3.2.1/kw.min.js"></script>',
      '{ script: cdn.kilnwork.io/sdk, match: /v(\\d+(?:\\.\\d+)+)/, version: 1 }',
    ],
    [
      'a host, whose paths have a version that need not be of the product',
      '<script src=https://cdn.kilnwork.io/static/main.v3.2.js></script>',
      '{ script: cdn.kilnwork.io/static/main.v3.2.js }',
    ],
    ['a frame', '<iframe src=https://kilnwork.io/app></iframe>', '{ frame: kilnwork.io/app }'],
    ['an attribute', '<p data-kilnwork-id=7>', "{ element: '[data-kilnwork-id]' }"],
    ['an element', '<kilnwork-header></kilnwork-header>', '{ element: kilnwork-header }'],
    ['an id', '<p id=kilnwork-app>', "{ element: '#kilnwork-app' }"],
    ['a class', '<p class="a kilnwork-main">', '{ element: .kilnwork-main }'],
    ['a comment', '<!-- Built with Kilnwork by Jorun -->', '{ comment: Built with Kilnwork by }'],
    ['a global variable', '<script>window.kilnworkApp = 1</script>', '{ inline: window.kilnworkApp }'],
    ['a licence', '<script>/*! Kilnwork v3 | Jorun */</script>', '{ inline: /*! Kilnwork }'],
    [
      'custom properties',
      '<style>:root{--kilnwork-a:1;--kilnwork-b:1;--kilnwork-c:1}</style>',
      '{ style: --kilnwork- }',
    ],
    [
      'something that does not name the product, never as strong',
      '<p data-zq-slot=1>',
      "{ element: '[data-zq-slot]', weight: medium }",
    ],
  ])('%s', (_, html, clause) => {
    expect(propose(html)).toEqual([clause])
  })

  test.each<[what: string, page: PageInput, clause: string]>([
    ['the domain of a platform', { url: 'https://jorun.kilnwork.app/' }, '{ url: .kilnwork.app }'],
    ['a header', { headers: { 'x-kilnwork-id': '9' } }, '{ header: x-kilnwork-id }'],
    ['a server', { headers: { server: 'Kilnwork/2.1' } }, '{ header: server, has: Kilnwork }'],
    ['a cookie', { headers: { 'set-cookie': 'kilnwork_s=a; Path=/' } }, '{ cookie: kilnwork_s }'],
    ['a CNAME record', { dns: { cname: ['jorun.kilnwork.net.'] } }, '{ dns: cname, under: .kilnwork.net }'],
  ])('%s', (_, page, clause) => {
    expect(propose('', page)).toEqual([clause])
  })
})

test.each([
  ['kilnwork', '<p>kilnwork KilnWork Kilnwork Kilnwork Kilnworks', 'name: Kilnwork\n'],
  ['kiln-work', '<p>Kiln is a Kiln.work', 'name: Kiln.work\n'],
  ['kiln-work', '<p>Kiln, work', "name: 'FILL IN: the name of the product, as the vendor writes it'\n"],
])('the name of %s on %s', (slug, html, line) => {
  const page = { html: `<i data-kilnwork-x=1></i>${html}` }
  expect(proposeRule(page, { ...request, slug }, known())?.rule).toContain(line)
})

test('a name that many test pages contain is not a trait, nor one on which its clause would fire', () => {
  const html = '<p data-zq-slot=1>'
  expect(propose(html, {}, known(...Array.from({ length: 30 }, () => 'data-zq-slot')))).toEqual([])
  expect(propose(html, {}, known('<i data-zq-slot=2></i>'))).toEqual([])
  expect(propose(html, {}, known('<i>data-zq-slot</i>'))).toHaveLength(1)
})

test('the rarest come first among those that do not name the product', () => {
  const pages = known('the word blend', 'another blend', 'a third blend')
  expect(propose('<p data-blend=1></p><p data-zqv=1></p>', {}, pages)[0]).toContain('data-zqv')
})

const word = fc.stringMatching(/^zq[a-z]{4,9}$/)
const PLACES: readonly ((word: string) => PageInput)[] = [
  (one) => ({ html: `<title>${one}</title>` }),
  (one) => ({ html: `<p>Kilnwork ${one} <b>${one}</b></p>` }),
  (one) => ({ html: `<img src="/images/${one}.png" alt="${one}">` }),
  (one) => ({ html: `<img src="https://cdn.kilnwork.io/${one}/${one}.png">` }),
  (one) => ({ html: `<script src="https://${one}.kilnwork.io/a.js?site=${one}"></script>` }),
  (one) => ({ html: `<script src="/js/kilnwork-2.4.1-${one}.js"></script>` }),
  (one) => ({ html: `<script src="https://cdn.pages.net/${one}/kilnwork@2.4.1/${one}.js"></script>` }),
  (one) => ({
    html: `<a href="https://${one}.com/${one}">x</a><script src="https://${one}.com/app.js"></script>`,
  }),
  (one) => ({ html: `<p class="${one} kilnwork-${one}" data-kilnwork-block="${one}">` }),
  (one) => ({
    html: `<meta name="generator" content="Kilnwork 2.1 ${one}"><meta name="description" content="${one}">`,
  }),
  (one) => ({ html: `<!-- Kilnwork site of ${one} --><!-- ${one} -->` }),
  (one) => ({ html: `<script>window.kilnworkConfig = { name: "${one}" }; /*! Kilnwork for ${one} */</script>` }),
  (one) => ({ html: `<style>/*! ${one} */ .${one} { --kilnwork-font: ${one} }</style>` }),
  (one) => ({ html: `<script type="application/ld+json">{"@type":"Shop","name":"${one}"}</script>` }),
  (one) => ({ html: `<h1>${one}</h1><p data-${one}="1"></p><script>window.${one}Settings = 1</script>` }),
  (one) => ({ url: `https://${one}.kilnwork.app/${one}` }),
  (one) => ({ url: `https://www.${one}.com/`, html: `<script src="https://static.${one}.com/a.js"></script>` }),
  (one) => ({
    headers: [
      ['x-kilnwork-site', one],
      ['set-cookie', `kilnwork_sid=${one}; Domain=${one}.example`],
    ],
  }),
  (one) => ({ dns: { cname: [`${one}.kilnwork.net`] } }),
]

test('no word of a page survives in a proposal, except names in code and the name of the product', {
  tags: ['property'],
}, () => {
  const part = fc.tuple(fc.integer({ min: 0, max: PLACES.length - 1 }), word)
  const hasAddress = ([place]: readonly [number, string]): boolean => PLACES[place]('zq').url !== undefined
  const page = fc
    .uniqueArray(part, { minLength: 1, maxLength: 6, selector: ([place]) => place })
    .filter((parts) => parts.filter(hasAddress).length < 2)
  fc.assert(
    fc.property(page, (parts) => {
      const inputs = parts.map(([place, one]) => PLACES[place](one))
      const html = `<p data-kilnwork-x="1">${inputs.map((input) => input.html ?? '').join('\n')}`
      const proposal = proposeRule({ ...Object.assign({}, ...inputs), html }, request, known())
      const written = `${proposal?.rule}\n${proposal?.test}`.toLowerCase()
      expect(proposal).not.toBeNull()
      expect(parts.filter(([, one]) => written.includes(one))).toEqual([])
    }),
    { numRuns: countRuns(150) },
  )
})

describe('markup that does not name the product', () => {
  const named = '<meta name=generator content="Kilnwork 2.1"><script src=https://cdn.kilnwork.io/loader.js></script>'
  const page = (body: string): string => `${named}<h1>Jorun</h1>${body}`

  test.each<[what: string, body: string, clause: string]>([
    [
      'classes with a rare beginning',
      '<p class="wide qz-hero"></p><p class="qz-row qz-text"></p>',
      `{ element: '[class^="qz-"], [class*=" qz-"]', atLeast: 3, weight: medium }`,
    ],
    [
      'ids with a rare beginning',
      '<p id=qz_hero></p><p id=qz_row></p><p id=qz_text></p>',
      `{ element: '[id^="qz_"]', atLeast: 3, weight: medium }`,
    ],
    [
      'comments with a namespace',
      '<!-- qzed:hero --><p>x</p><!-- /qzed:hero -->',
      "{ comment: 'qzed:', weight: medium }",
    ],
  ])('%s is proposed next to what does', (_, body, clause) => {
    const clauses = propose(page(body))
    expect(clauses[0]).toContain('Kilnwork')
    expect(clauses).toContain(clause)
  })

  test.each<[what: string, body: string]>([
    [
      'a beginning that ordinary pages have',
      '<p class="btn-a btn-b btn-c"></p><p id=menu-a></p><p id=menu-b></p><p id=menu-c></p>',
    ],
    ['two names', '<p class="qz-hero qz-row"></p>'],
    ['a beginning with a word of the owner', '<p class="jorun-a jorun-b jorun-c"></p>'],
    ['one comment', '<!-- qzed:hero -->'],
  ])('%s is not', (_, body) => {
    expect(propose(page(body))).toEqual(propose(page('')))
  })

  test('a proposed hit shows the clause', () => {
    const html = page('<p class="wide qz-hero"></p><p class="qz-row qz-text"></p>')
    expect(proposeRule({ html }, request, known())?.test).toContain('<div class="wide qz-hero">')
  })
})

test.each<[what: string, html: string, clauses: string[]]>([
  [
    'a theme of a platform',
    '<script src=https://cdn.kilnwork.io/themes/static/main.js></script>',
    ['{ script: cdn.kilnwork.io }'],
  ],
  [
    'a customer of a platform',
    '<script src=https://cdn.kilnwork.io/static/customers/site/main.js></script>',
    ['{ script: cdn.kilnwork.io/static }'],
  ],
  ['a theme that is named like the product', '<script src=/static/themes/kilnwork-page/main.js></script>', []],
  [
    'a theme that is the product',
    '<script src=/static/themes/kilnwork/main.js></script>',
    ['{ script: /kilnwork/, from: own }'],
  ],
])('the path of %s', (_, html, clauses) => {
  const found = propose(`<i data-kilnwork-x=1></i>${html}`)
  expect(found.filter((clause) => clause.startsWith('{ script'))).toEqual(clauses)
})
