import { expect, test } from 'vitest'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { newSite, onePlan } from '../http/app-fixture.ts'
import { SAMPLE_RULES, sampleScan } from '../support/sample-scan.ts'
import { openPortal } from './portal-fixture.ts'
import { openVisitor, readText } from './scan-form.ts'

const BOX = /<input[^>]* name="render"/

async function openWith(browserUrl: string | null) {
  const asked: (string | undefined)[] = []
  const portal = await openPortal({
    settings: { ...onePlan(1000, 1000), browserUrl },
    parts: {
      rules: new CurrentRules(SAMPLE_RULES),
      scan: async ({ url }, _client, _ruleset, { render }) => {
        asked.push(render)
        return sampleScan(url.href)
      },
    },
  })
  return { me: await openVisitor(portal), asked }
}

test('with a browser, the form has a box, and its result says how to make the same scan', async () => {
  const { me, asked } = await openWith('http://127.0.0.1:9222')
  const { html } = await me.open('/scan')
  expect(html).toMatch(BOX)
  expect(readText(html)).toContain('at most 18, or 31 with scripts.')
  const url = newSite()
  const { headers } = await me.submit({ url, render: 'on' })
  expect((await me.submit({ url })).status).toBe(303)
  expect(asked, 'a result that was not rendered is another one').toEqual(['always', 'never'])
  const result = await me.open(String(headers.location))
  expect(readText(result.html)).toContain('&render=always&include=')
  const [, again] = /href="(\/scan\?url=[^"]*fresh=on[^"]*)"/.exec(result.html) ?? []
  expect((await me.open(again.replaceAll('&amp;', '&'))).html).toMatch(/<input[^>]* name="render"[^>]* checked/)
})

test('without a browser there is no box, and a form with it is refused', async () => {
  const { me, asked } = await openWith(null)
  expect((await me.open('/scan?render=on')).html).not.toMatch(BOX)
  const { html } = await me.submit({ url: newSite(), render: 'on' })
  expect(readText(html)).toContain('This service has no browser')
  expect(asked).toEqual([])
})
