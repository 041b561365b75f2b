import { expect, test } from 'vitest'
import { CurrentRules, RulesetChanged } from '../../src/scan/current-rules.ts'
import { SAMPLE_RULES, sampleScan } from '../support/sample-scan.ts'
import { newSite, openApp, scanOf } from './app-fixture.ts'

const FIRST = { ...SAMPLE_RULES, version: 'first' }
const SECOND = { ...SAMPLE_RULES, version: 'second', categories: { 'website-builder': 'ecommerce' } }

test('a scan whose rules were replaced before it started uses the new ones, and is cached for these only', async () => {
  const rules = new CurrentRules(FIRST)
  const asked: string[] = []
  const app = await openApp({
    parts: {
      rules,
      scan: async ({ url }, _, ruleset) => {
        asked.push(ruleset)
        if (asked.length === 1) rules.replace(SECOND)
        if (ruleset !== rules.current.version) throw new RulesetChanged()
        return sampleScan(url.href)
      },
    },
  })
  const { secret } = await app.newKey({ revision: 1 })
  const url = scanOf(newSite())
  const ask = async () => (await app.call({ url, secret })).body
  // The category has its name in revision 1 from the ruleset that the result comes from.
  expect(await ask()).toMatchObject({ category: 'ecommerce', cached: false })
  expect(asked).toEqual(['first', 'second'])
  expect(await ask()).toMatchObject({ category: 'ecommerce', cached: true })
  rules.replace(FIRST)
  expect(await ask()).toMatchObject({ category: 'visual-builder', cached: false })
  expect(asked).toEqual(['first', 'second', 'first'])
  expect(await app.parts.metrics.registry.metrics()).toContain('siteprint_scans_total{outcome="ok"} 2\n')
  expect(app.log()).not.toContain('scan failed')
})

test('the documents and the page that shows them follow the rules', async () => {
  const rules = new CurrentRules(FIRST)
  const app = await openApp({ parts: { rules } })
  const readTypes = async (path: string): Promise<string[]> =>
    JSON.parse((await app.fastify.inject(path)).payload).components.schemas.SiteType['x-extensible-enum']
  const paths = ['/openapi.json', '/openapi-1.json', '/docs/json']
  const before = await Promise.all(paths.map(readTypes))
  rules.replace({ ...SECOND, siteTypes: ['blog', 'wiki'] })
  const after = await Promise.all(paths.map(readTypes))
  expect([before, after].map((lists) => lists.map((list) => list.includes('wiki')))).toEqual([
    [false, false, false],
    [true, true, true],
  ])
})
