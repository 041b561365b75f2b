import { describe, expect, test } from 'vitest'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { SAMPLE_RULES, sampleScan } from '../support/sample-scan.ts'
import { newSite, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const kind = await findAppKind('http: render')
describe.skipIf(kind.isMissing).each([kind])('rendered pages on $name', ({ open }) => {
  /** Opens an app whose browser fails on hosts that begin with `failing`. */
  async function openRendering(chromium: string | null): Promise<TestApp & { readonly asked: (string | undefined)[] }> {
    const asked: (string | undefined)[] = []
    const app = await openApp({
      stores: await open(),
      settings: { chromium },
      parts: {
        rules: new CurrentRules(SAMPLE_RULES),
        scan: async ({ url }, _client, _ruleset, { render }) => {
          asked.push(render)
          return { ...sampleScan(url.href), isUnrendered: render !== 'never' && url.pathname === '/failing' }
        },
      },
    })
    return { ...app, asked }
  }

  test('each mode has its own cached result, and a result without the wanted browser is not cached', async () => {
    const app = await openRendering('/usr/bin/chromium')
    const { secret } = await app.newKey()
    const site = newSite()
    const steps: [path: string, more: string, cached: boolean, asked: number][] = [
      ['', '', false, 1],
      ['', '&render=always', false, 2],
      ['', '&render=always', true, 2],
      ['', '&render=auto', false, 3],
      ['', '&render=never', true, 3],
      ['failing', '&render=always', false, 4],
      ['failing', '&render=always', false, 5],
      ['failing', '', false, 6],
      ['failing', '', true, 6],
    ]
    for (const [path, more, cached, count] of steps) {
      const { status, body } = await app.call({ url: scanOf(`${site}${path}`, more), secret })
      expect([path, more, status, body.cached, app.asked.length]).toEqual([path, more, 200, cached, count])
    }
    expect(app.asked).toEqual(['never', 'always', 'auto', 'always', 'always', 'never'])
  })

  test.each([
    ['without a browser', null, 2, '&render=auto', /This service has no browser.*render=never/],
    ['with another value', '/usr/bin/chromium', 2, '&render=yes', /render must be one of never, auto, always\./],
    ['in revision 1', '/usr/bin/chromium', 1, '&render=auto', /Unknown parameter "render"/],
  ] as const)('%s, render is refused with what to do', async (_, chromium, revision, more, sentence) => {
    const app = await openRendering(chromium)
    const { secret } = await app.newKey({ revision })
    const { status, body } = await app.call({ url: scanOf(newSite(), more), secret })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toMatch(sentence)
    expect(app.asked).toEqual([])
  })

  test('without a browser, render=never is a scan like any other', async () => {
    const app = await openRendering(null)
    const { secret } = await app.newKey()
    expect((await app.call({ url: scanOf(newSite(), '&render=never'), secret })).status).toBe(200)
  })
})
