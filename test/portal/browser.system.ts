import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { signUp } from '../../tools/browser/tour.ts'
import { isBrowserMissing } from '../support/browser.ts'
import { LIGHT, openPortalInBrowser, type PortalInBrowser } from './portal-in-browser.ts'

const runProgram = promisify(execFile)

describe.skipIf(isBrowserMissing('the portal in a browser'))('the portal in a browser', () => {
  let portal: PortalInBrowser
  beforeAll(async () => {
    portal = await openPortalInBrowser()
  })

  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('from the first visit to the first request, %s', async (_, hasScripts) => {
    const { page, problems, close } = await portal.openClient({ ...LIGHT, hasScripts })
    await page.goto(portal.service.url)
    await page.getByRole('link', { name: 'Get an API key' }).click()
    await signUp(page, { email: `first-${hasScripts}@example.org` })
    const line = (await page.locator('#curl').textContent()) ?? ''
    expect(line).toContain(`${portal.service.url}/api/v1/scan?url=https://example.org'`)
    const { stdout } = await runProgram('sh', [
      '-c',
      line.replace('https://example.org', encodeURIComponent(portal.target)),
    ])
    expect(JSON.parse(stdout)).toMatchObject({ url: portal.target, builder: 'WordPress' })
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(hasScripts ? 2 : 0)
    if (hasScripts) {
      await page.getByRole('button', { name: 'Copy Command line' }).click()
      await expect.poll(() => page.getByRole('status').filter({ hasText: 'Copied' }).count()).toBe(1)
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(line)
    }
    await page.getByRole('button', { name: 'Log out' }).click()
    expect(new URL(page.url()).pathname).toBe('/')
    expect(problems).toEqual([])
    await close()
  })

  test("the catalogue's search suggests names while one is typed", async () => {
    const { page, problems, close } = await portal.openClient()
    await page.goto(`${portal.service.url}/catalogue`)
    await page.getByLabel('Name of a product').pressSequentially('webfl')
    await page.locator('datalist option[value=Webflow]').waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search for “webfl”' }).waitFor()
    expect(problems).toEqual([])
    await close()
  })

  test('with the keyboard: skip link, form, focus on the summary of errors', async () => {
    const { page, close } = await portal.openClient()
    await page.goto(`${portal.service.url}/signup`)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Ida Holm')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('email')
    expect(await page.getByLabel('Name').inputValue()).toBe('Ida Holm')
    await close()
  })

  test('a page of another origin cannot send a form', async () => {
    const { page, close } = await portal.openClient()
    const form = `<form method=post action="${portal.service.url}/login"><button>Send</button></form>`
    const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end(form))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    await page.getByRole('button').click()
    expect(await page.getByRole('heading').textContent()).toBe('Not allowed')
    await close()
    other.close()
  })
})
