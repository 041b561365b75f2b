import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openWindow } from '../../tools/browser/browser.ts'
import { NEXT_YEAR } from '../http/app-fixture.ts'
import { EMBEDDED } from '../http/app-kinds.ts'
import { checkAccessibility, isBrowserMissing, startBrowser } from '../support/browser.ts'
import { findSecrets, openPeople, type Person } from './people.ts'

const MONTH = `${NEXT_YEAR}-05`

describe.skipIf(isBrowserMissing('usage and keys in a browser'))('usage and keys in a browser', () => {
  let browser: Browser
  let url: string
  let person: Person
  let empty: Person
  let paths: readonly (readonly [name: string, path: string])[]
  beforeAll(async () => {
    browser = await startBrowser()
    const portal = await openPeople(EMBEDDED)
    await portal.fastify.listen({ host: '127.0.0.1', port: 0 })
    url = `http://127.0.0.1:${(portal.fastify.server.address() as AddressInfo).port}`
    person = await portal.createPerson('pro')
    empty = await portal.createPerson('free')
    const keys = []
    for (const name of ['Default key', '🚢'.repeat(100), `W${'i'.repeat(98)}W`, 'Old server']) {
      portal.clock.now += 1000
      keys.push((await portal.addKey(person, name)).key)
    }
    for (const [i, { id }] of keys.entries())
      for (let day = 1; day <= 10; day++)
        for (let n = 0; n < (day * (7 + i)) % 11; n++)
          await portal.store.usage.charge({
            counter: id,
            day: `${MONTH}-${String(day).padStart(2, '0')}`,
            quota: 1e6,
            at: new Date(`${MONTH}-${String(day).padStart(2, '0')}T08:00:00Z`),
          })
    await portal.store.keys.revokeKey(keys[3].id, new Date(portal.clock.now))
    const [{ id, secrets }] = keys
    await person.post(`/account/keys/${id}`, { action: 'rotate', overlap: '7d', secret: secrets[0].lastFour })
    paths = [
      ['account', '/account'],
      ['account-keys', '/account/keys'],
      ['account-key', `/account/keys/${id}`],
      ['account-key-long', `/account/keys/${keys[2].id}`],
      ['account-key-revoke', `/account/keys/${keys[2].id}/revoke`],
    ]
  })

  const open = async (look: Parameters<typeof openWindow>[1], { cookies }: Person) => {
    const window = await openWindow(browser, look)
    await window.page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
    return window
  }

  const findOverflow = (page: Page): Promise<number> =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  // Only the pages with long names: the tour covers every page in both themes and widths.
  test.each([
    { width: 360, theme: 'light' },
    { width: 1280, theme: 'dark' },
  ] as const)(
    '$width px, $theme: pages with long names fit, are accessible and have no errors',
    {
      timeout: 60_000,
    },
    async (look) => {
      const { page, problems, close } = await open(look, person)
      for (const [name, path] of paths) {
        await page.goto(url + path)
        for (const details of await page.locator('details:not([open]) > summary').all()) await details.click()
        expect({ name, overflow: await findOverflow(page), found: await checkAccessibility(page), problems }).toEqual({
          name,
          overflow: 0,
          found: [],
          problems: [],
        })
      }
      await close()
    },
  )

  test('works without JavaScript', { timeout: 60_000 }, async () => {
    const { page, problems, close } = await open({ width: 360, theme: 'light', hasScripts: false }, empty)
    await page.goto(`${url}/account`)
    await page.getByRole('link', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Create your default key' }).click()
    expect(findSecrets(await page.content())).toHaveLength(1)
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Back to your keys' }).click()
    await page.getByRole('link', { name: /^Rename, rotate or revoke/ }).click()
    await page.getByLabel('Name').fill('')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('There is a problem').waitFor()
    await page.getByLabel('Name').fill('Server in the cellar')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('The key has its new name').waitFor()
    await page.getByLabel('End of the previous secret').selectOption('After 7 days')
    await page.getByRole('button', { name: 'Rotate' }).click()
    expect(findSecrets(await page.content())).toHaveLength(1)
    await page.getByRole('link', { name: 'Back to your keys' }).click()
    await page.getByRole('link', { name: /^Rename, rotate or revoke/ }).click()
    await page.getByRole('link', { name: 'Revoke…' }).click()
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('The key is revoked').waitFor()
    await page.getByText('1 revoked key').click()
    await page.getByRole('heading', { name: 'Server in the cellar' }).waitFor()
    await page.getByLabel('Name').fill('Next server')
    await page.getByLabel('API revision').selectOption('1')
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(findSecrets(await page.content())).toHaveLength(1)
    expect((await empty.keys()).map(({ name, revision }) => [name, revision]).sort()).toEqual([
      ['Next server', 1],
      ['Server in the cellar', null],
    ])
    expect(problems).toEqual([])
    await close()
  })

  test('the copy buttons copy the key and the command line', async () => {
    const { page, problems, close } = await open({ width: 1280, theme: 'light' }, person)
    await page.goto(`${url}/account/keys`)
    await page.getByLabel('Name').fill('Copied')
    await page.getByRole('button', { name: 'Create key' }).click()
    const [secret] = findSecrets(await page.content())
    const copied: unknown[] = []
    for (const name of ['Copy API key', 'Copy Command line']) {
      await page.getByRole('button', { name }).click()
      await page.getByText('Copied').first().waitFor()
      copied.push(await page.evaluate('navigator.clipboard.readText()'))
    }
    expect(copied).toEqual([
      secret,
      expect.stringContaining(`Bearer ${secret}' '${url}/api/v1/scan?url=https://example.org'`),
    ])
    expect(problems).toEqual([])
    await close()
  })

  test('one of the two charts is visible, and a day has a tooltip', async () => {
    for (const [width, visible] of [
      [360, 'narrow'],
      [1280, 'wide'],
    ] as const) {
      const { page, close } = await open({ width, theme: 'light' }, person)
      await page.goto(`${url}/account?month=${MONTH}`)
      expect(
        await page.locator('svg.chart:visible').evaluateAll((all) => all.map((one) => one.getAttribute('class'))),
      ).toEqual([`chart chart-${visible}`])
      const day = page.locator(`svg.chart-${visible} .chart-days path`).nth(2)
      await day.hover()
      expect(await day.locator('title').textContent()).toMatch(/^3 May: \d+ requests$/)
      await close()
    }
  })
})
