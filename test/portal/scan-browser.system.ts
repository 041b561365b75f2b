import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BrowserWindow, DIFFERENT_LOOKS, type Look, openWindow } from '../../tools/browser/browser.ts'
import { newSite, onePlan } from '../http/app-fixture.ts'
import { checkAccessibility, isBrowserMissing, startBrowser } from '../support/browser.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { openPortal, type TestPortal } from './portal-fixture.ts'
import { openVisitor } from './scan-form.ts'

const HOSTILE = `${'x'.repeat(400)}<script>document.title = 'taken'</script>\u202e\u05e9\u05dc\u05d5\u05dda${'\u0301'.repeat(90)}`
const LOOK = { width: 1280, theme: 'light' } as const

/** A scan whose site has put long and hostile text wherever it can. */
function scanHostile(url: string): ReturnType<typeof sampleScan> {
  const clause = {
    clause: '{ meta: generator }',
    places: ['meta'],
    weight: 'strong',
    family: 'declared',
    hits: 3,
  } as const
  const item = { kind: 'technology', level: 'high', points: 6, unseen: ['dns'] } as const
  const texts = [HOSTILE.slice(0, 200), HOSTILE.slice(-160), '<img src=https://evil.example/x>']
  const { infrastructure, ...live } = sampleScan(url, {
    url: `${url}?${'a'.repeat(1500)}`,
    versions: { Webflow: HOSTILE.slice(-64) },
    warnings: [HOSTILE.slice(0, 500)],
    evidence: [
      { ...item, slug: 'a', name: 'Google Fonts', clauses: [{ ...clause, texts }], chosen: true },
      { ...item, slug: 'b', name: 'Other', clauses: [], chosen: false, note: 'excluded by a' },
    ],
  })
  const server = HOSTILE.slice(0, 256)
  return { ...live, infrastructure: { ...infrastructure, server, dns: [HOSTILE.slice(0, 253), 'b.example'] } }
}

describe.skipIf(isBrowserMissing('scans in a browser'))('scans in a browser', () => {
  let browser: Browser
  let portal: TestPortal
  let address: string
  beforeAll(async () => {
    portal = await openPortal({ settings: onePlan(1000, 1000), scan: async (url) => scanHostile(url) })
    address = await portal.fastify.listen({ port: 0, host: '127.0.0.1' })
    browser = await startBrowser()
  })

  /** Opens a window in which a new person is logged in. */
  async function openWindowOf(look: Look): Promise<BrowserWindow> {
    const { browser: person } = await openVisitor(portal)
    const opened = await openWindow(browser, look)
    const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: address }))
    await opened.page.context().addCookies(cookies)
    return opened
  }

  async function scan(page: Page, url = newSite()): Promise<void> {
    await page.goto(`${address}/scan`)
    await page.getByLabel('Address of the page').fill(url)
    await page.getByRole('button', { name: 'Scan', exact: true }).click()
    await page.waitForURL(/\/scan\/[\w-]+$/)
  }

  test.each(DIFFERENT_LOOKS)('the result of a hostile site at $width px, $theme', async (look) => {
    const { page, problems, close } = await openWindowOf(look)
    await scan(page)
    for (const summary of await page.locator('.evidence > summary').all()) await summary.click()
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
    expect(await checkAccessibility(page)).toEqual([])
    expect([await page.title(), problems]).toEqual([expect.stringMatching(/^Scan of new-/), []])
    await close()
  })

  test.each([true, false])('from the form to the result and again, scripts: %s', async (hasScripts) => {
    const { page, problems, close } = await openWindowOf({ ...LOOK, hasScripts })
    const site = newSite()
    await scan(page, site)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Made with Webflow')
    await page.getByText('Google Fonts Technology').click()
    expect(await page.getByText('Strong evidence').isVisible()).toBe(true)
    expect(await page.getByRole('button', { name: 'Copy JSON' }).count()).toBe(hasScripts ? 1 : 0)
    if (hasScripts) {
      await page.getByRole('button', { name: 'Copy JSON' }).click()
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
      const copied = JSON.parse(String(await page.evaluate('navigator.clipboard.readText()')))
      expect(copied.warnings).toEqual([HOSTILE.slice(0, 500)])
    }
    await page.getByRole('link', { name: 'Scan again' }).click()
    expect(await page.getByLabel('Address of the page').inputValue()).toBe(site)
    expect(await page.getByRole('checkbox').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Scan', exact: true }).click()
    await page.waitForURL(/\/scan\/[\w-]+$/)
    await page.getByRole('link', { name: 'Scan another page' }).click()
    expect(await page.getByRole('listitem').filter({ hasText: site }).count()).toBe(2)
    expect(problems).toEqual([])
    await close()
  })
})
