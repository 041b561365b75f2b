import { beforeAll, describe, expect, test } from 'vitest'
import { describeRuleset, type RulesetInfo } from '../../src/detector/ruleset-info.ts'
import { type CompiledRule, PAGE_STATES } from '../../src/engine/rule/types.ts'
import { CatalogueIndex } from '../../src/portal/catalogue/catalogue-index.ts'
import { describeMarks, findsVersions } from '../../src/portal/catalogue/describe-rule.ts'
import { entryPath } from '../../src/portal/catalogue/paths.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { HOST, openPortal, type TestBrowser } from './portal-fixture.ts'

let info: RulesetInfo
let index: CatalogueIndex
let browser: TestBrowser
beforeAll(async () => {
  info = describeRuleset(openOwnRuleset().packed)
  index = new CatalogueIndex(info)
  const portal = await openPortal({ parts: { rules: new CurrentRules(info) } })
  browser = portal.openBrowser()
})

async function open(path: string): Promise<string> {
  const { status, html } = await browser.send({ path })
  expect([path, status]).toEqual([path, 200])
  return html
}

describe('a search', () => {
  test.each([
    ['a name', 'Webflow', 'builder/webflow'],
    ['a name in small letters with white space', '  wordpress ', 'builder/wordpress'],
    ['the beginning of a name', 'hotj', 'technology/hotjar'],
    ['a former name', 'episerver', 'builder/optimizely-cms'],
    ['a former name in the sentence', 'ConvertKit', 'technology/kit'],
    ['a short name', 'GTM', 'technology/google-tag-manager'],
    ['a name of an earlier version', 'universal analytics', 'technology/google-analytics'],
    ['a name in one word', 'DynamicYield', 'technology/dynamic-yield'],
    ['words in another order', 'analytics google', 'technology/google-analytics'],
    ['a name without its accents and signs', 'discuz', 'builder/discuz'],
  ])('finds %s', (_, text, key) => {
    const { entries, suggestion } = index.search(text)
    expect(entries.slice(0, 3).map(({ kind, slug }) => `${kind}/${slug}`)).toContain(key)
    expect(suggestion).toBe(null)
  })

  test.each([
    ['swapped letters', 'webfolw', 'webflow'],
    ['a missing letter', 'squarspace', 'squarespace'],
    ['nothing that is known', 'qqqqqqqqqqqq', null],
    ['signs only', '%$#', null],
  ])('suggests a name for %s', (_, text, suggestion) => {
    const found = index.search(text)
    expect({ count: found.count, suggestion: found.suggestion }).toEqual({ count: 0, suggestion })
  })

  test.each([
    ['webfl', ['Webflow']],
    ['WORDPRESS', ['WordPress']],
    ['', []],
    ['qqqqqqqqqqqq', []],
  ])('suggests names while %j is typed', async (text, names) => {
    const found = JSON.parse(await open(`/catalogue/suggestions?q=${text}`))
    expect(found.slice(0, 1)).toEqual(names)
    expect(found.length).toBeLessThanOrEqual(8)
  })

  test('shows at most fifty entries and counts all', () => {
    const { entries, count } = index.search('wordpress')
    expect(entries).toHaveLength(50)
    expect(entries[0].slug).toBe('wordpress')
    expect(count).toBeGreaterThan(60)
  })

  test('page with its result, and a text of the visitor as text', async () => {
    expect(await open('/catalogue?q=webfolw')).toContain('Did you mean <a href="/catalogue?q=webflow">webflow</a>?')
    const html = await open(`/catalogue?q=${encodeURIComponent('<script>alert(1)</script>')}`)
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('rel="canonical"')
  })
})

test('the start page says which answers are not the site, and whose are known', async () => {
  const html = await open('/catalogue')
  for (const state of PAGE_STATES) expect(html.includes(`<strong>${state}</strong>`)).toBe(state !== 'site')
  expect(html).toContain('a check of visitors or a refusal<span class="quiet">, by name for Akamai, ')
  expect(index.owners.get('login')).toContain('Cloudflare Access')
  expect(index.owners.get('default-page')).toContain('nginx')
})

test('the start page links every kind and category, each of which lists its entries', async () => {
  const html = await open('/catalogue')
  const links = [...html.matchAll(/href="(\/catalogue\/[^"]+)"/g)].map(([, path]) => path.replaceAll('&amp;', '&'))
  const listed = new Set<string>()
  for (const path of links)
    for (const [, entry] of (await open(path)).matchAll(/href="(\/catalogue\/[\w-]+\/[\w-]+)"/g)) listed.add(entry)
  expect([...listed].sort()).toEqual(info.catalogue.map(entryPath).sort())
})

test.each([
  ['/catalogue/builder/no-such-builder'],
  ['/catalogue/no-such-kind'],
  ['/catalogue/technology?category=no-such-category'],
  ['/catalogue/response/forbidden'],
  ['/catalogue/technology/webflow'],
  ['/catalogue/__proto__/webflow'],
])('%s does not exist', async (path) => {
  expect((await browser.send({ path })).status).toBe(404)
})

test('the page of an entry says what it is, what shows it, and where its rule is', async () => {
  const html = await open('/catalogue/builder/webflow')
  expect(html).toContain('<title>Webflow, Website builder · Siteprint</title>')
  expect(html).toContain('A visual website builder with a content management system and hosting.')
  expect(html).toContain(`<link rel="canonical" href="http://${HOST}/catalogue/builder/webflow"/>`)
  expect(html).toContain('<code>rules/builders/webflow.yaml</code>')
  expect(html).toMatch(/Proof:<\/span> /)
  expect(html).toContain('href="/catalogue/builder/carrd"')
})

test('the sitemap lists every page, and robots.txt names it', async () => {
  const map = await open('/sitemap.xml')
  const paths = [...map.matchAll(/<loc>http:\/\/portal\.example(.*?)<\/loc>/g)].map(([, path]) => path)
  expect(paths).toEqual(expect.arrayContaining(info.catalogue.map(entryPath)))
  expect(new Set(paths).size).toBe(paths.length)
  expect(await open('/robots.txt')).toContain(`Sitemap: http://${HOST}/sitemap.xml`)
})

function webflow(): CompiledRule {
  return index.find('builder', 'webflow') ?? expect.fail('there is no rule of Webflow')
}

test('marks are in words, the strongest first', () => {
  const leaf = { id: 'c1', place: 'script', words: ['cdn.acme.com', 'b', 'c', 'd'], positive: true }
  const other = { id: 'c2', place: 'header', words: ['x-acme'], has: ['1'], positive: true }
  const hidden = { id: 'c3', place: 'text', words: ['beta'], positive: false }
  const clause = { family: 'loaded', holds: true, hits: 1 } as const
  const { marks, more } = describeMarks({
    ...webflow(),
    leaves: [leaf, other, hidden],
    clauses: [
      {
        ...clause,
        leaves: ['c2', 'c3'],
        weight: 'weak',
        text: '{ all: [{ header: x-acme, has: 1 }, { not: { text: beta } }] }',
      },
      { ...clause, leaves: ['c1', 'c2'], weight: 'strong', text: '{ any: [] }' },
    ],
  })
  expect(marks.map(({ weight, parts }) => [weight, parts.map(({ text }) => text).join('')])).toEqual([
    ['strong', 'script from cdn.acme.com, b, c and 1 more or header x-acme containing 1'],
    ['weak', 'header x-acme containing 1'],
  ])
  expect(more).toBe(0)
})

test.each([
  ['a pattern with a group', { place: 'script', version: 1 }, true],
  ['a package', { place: 'npm' }, true],
  ['a package whose version is not the product’s', { place: 'npm', version: false as const }, false],
  ['a header without a pattern', { place: 'header' }, false],
])('a rule finds versions by %s', (_, leaf, expected) => {
  const rule = webflow()
  expect(findsVersions({ ...rule, leaves: [{ id: 'c1', words: ['x'], positive: true, ...leaf }] })).toBe(expected)
})
