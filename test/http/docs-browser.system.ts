import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openWindow } from '../../tools/browser/browser.ts'
import { isBrowserMissing, startBrowser } from '../support/browser.ts'
import { openApp, type TestApp } from './app-fixture.ts'

describe.skipIf(isBrowserMissing('the documentation in a browser'))('the documentation in a browser', () => {
  let browser: Browser
  let app: TestApp
  let address: string
  beforeAll(async () => {
    app = await openApp()
    address = await app.fastify.listen({ port: 0, host: '127.0.0.1' })
    browser = await startBrowser()
  })

  test('/docs shows every operation and sends requests, within its policy', async () => {
    const { secret } = await app.newKey()
    const { page, problems, close } = await openWindow(browser, { width: 1280, theme: 'light' })
    const response = await page.goto(`${address}/docs`)
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).not.toContain('unsafe')
    expect(policy).toMatch(/style-src 'self';.*form-action 'none';.*base-uri 'none'$/)

    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.locator('#auth-bearer-value').fill(secret)
    await page.getByRole('button', { name: 'Apply credentials' }).first().click()
    await page.getByRole('button', { name: 'Close' }).first().click()
    expect(await page.locator('.opblock').count()).toBe(11)
    const me = page.locator('.opblock', { hasText: '/api/v1/me' })
    // One with parameters, one with a body, and the one that is sent: opening all takes half a minute of processor time.
    for (const method of ['get', 'post']) {
      const scan = page.locator(`.opblock-${method}`, { hasText: '/api/v1/scan' })
      await scan.locator('.opblock-summary-control').click()
      await scan.locator('.opblock-body').waitFor()
    }
    await me.locator('.opblock-summary-control').click()
    await me.getByRole('button', { name: 'Try it out' }).click()
    await me.getByRole('button', { name: 'Execute' }).click()
    await me.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    expect(await me.locator('.live-responses-table').textContent()).toContain('dev@harbourline.example')
    await page.getByText('Schemas').last().click()
    expect(problems).toEqual([])
    await close()
  })

  test('/docs/ shows every operation, within its policy', async () => {
    const { page, problems, close } = await openWindow(browser, { width: 1280, theme: 'light' })
    await page.goto(`${address}/docs/`)
    await page.locator('.opblock-summary-control').last().waitFor()
    expect(await page.locator('.opblock').count()).toBe(11)
    expect(problems).toEqual([])
    await close()
  })
})
