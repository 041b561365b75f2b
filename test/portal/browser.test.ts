import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BrowserWindow, DIFFERENT_LOOKS, openWindow } from '../../tools/browser/browser.ts'
import { listDisplayedPaths, signUp, walkPortal } from '../../tools/browser/tour.ts'
import { LOCAL_BLOCK, openSite } from '../service/local-site.ts'
import { makeFolder, type RunningService, startService } from '../service/start-service.ts'
import { checkAccessibility, isBrowserMissing, startBrowser } from '../support/browser.ts'
import { builtProject } from '../support/built-project.ts'

const runProgram = promisify(execFile)
const project = builtProject()
const emails = DIFFERENT_LOOKS.map(({ width, theme }) => `ida-${width}-${theme}@example.org`)
/** A tour takes a few seconds, but minutes while other programs use all cores. */
const TOUR_TIMEOUT_MS = 300_000
const LIGHT = { width: 1280, theme: 'light' } as const

/** The text of the page must not be wider than the window: tables and code scroll by themselves. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

describe.skipIf(isBrowserMissing('the portal in a browser'))('the portal in a browser', () => {
  let browser: Browser
  let service: RunningService
  let settings: Readonly<Record<string, string>>
  let target: string
  let clients = 0
  beforeAll(async () => {
    const site = await openSite()
    target = site.page(1)
    settings = {
      DATA_DIR: makeFolder(),
      SCAN_ALLOW: LOCAL_BLOCK,
      ADMIN_EMAILS: emails.join(','),
      TRUST_PROXY: '1',
      SIGNUP: 'open',
    }
    ;[browser, service] = await Promise.all([startBrowser(), startService(project, settings)])
  })

  const openClient = (look: Parameters<typeof openWindow>[1] = LIGHT): Promise<BrowserWindow> =>
    openWindow(browser, { ...look, client: `198.51.100.${++clients}` })

  test.each(DIFFERENT_LOOKS.map((look, i) => [look.width, look.theme, emails[i]] as const))(
    'every page is accessible and fits at %d px, %s',
    async (width, theme, email) => {
      const { page, problems, close } = await openClient({ width, theme })
      const found: Record<string, readonly string[]> = {}
      const promote = async (): Promise<void> => {
        await project.run('accounts', ['verify', email], { env: settings })
      }
      const visited = new Set<string>()
      await walkPortal(page, { url: service.url, email, promote, target }, async (name) => {
        visited.add(new URL(page.url()).pathname)
        const wide = (await isTooWide(page)) ? ['wider than the window'] : []
        const all = [...(await checkAccessibility(page)), ...wide, ...problems.splice(0)]
        if (all.length > 0) found[name] = all
      })
      expect(found).toEqual({})
      const isMissing = (path: string): boolean => {
        const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
        return ![...visited].some((one) => pattern.test(one))
      }
      expect(listDisplayedPaths().filter(isMissing), 'pages that the tour does not visit').toEqual([])
      await close()
    },
    TOUR_TIMEOUT_MS,
  )

  test.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('from the first visit to the first request, %s', async (_, hasScripts) => {
    const { page, problems, close } = await openClient({ ...LIGHT, hasScripts })
    await page.goto(service.url)
    await page.getByRole('link', { name: 'Get an API key' }).click()
    await signUp(page, { email: `first-${hasScripts}@example.org` })
    const line = (await page.locator('#curl').textContent()) ?? ''
    expect(line).toContain(`${service.url}/api/v1/scan?url=https://example.org'`)
    const { stdout } = await runProgram('sh', ['-c', line.replace('https://example.org', encodeURIComponent(target))])
    expect(JSON.parse(stdout)).toMatchObject({ url: target, builder: 'WordPress' })
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

  test('with the keyboard: skip link, form, focus on the summary of errors', async () => {
    const { page, close } = await openClient()
    await page.goto(`${service.url}/signup`)
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
    const { page, close } = await openClient()
    const form = `<form method=post action="${service.url}/login"><button>Send</button></form>`
    const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end(form))
    await once(other.listen(0, '127.0.0.1'), 'listening')
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    await page.getByRole('button').click()
    expect(await page.getByRole('heading').textContent()).toBe('Not allowed')
    await close()
    other.close()
  })
})
