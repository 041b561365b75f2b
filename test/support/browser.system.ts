import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openWindow } from '../../tools/browser/browser.ts'
import { checkAccessibility, isBrowserMissing, startBrowser } from './browser.ts'
import { formatSkipped } from './report-skipped.ts'
import { writeFolder } from './rule-folder.ts'

const PAGE = '<!doctype html><html lang=en><title>A page</title><main><h1>A page</h1>'
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve)))
afterAll(() => server.close())

describe.skipIf(isBrowserMissing('the browser of tests'))('the browser of tests', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
  })

  test.each([
    ['a name', 'http://example.org/'],
    ['another name of this machine', 'http://localhost:PORT/'],
    ['another address of this machine', 'http://127.0.0.2:PORT/'],
  ])('reaches no other host: %s', async (_, address) => {
    const { page, problems, close } = await openWindow(browser, { width: 360, theme: 'light' })
    const url = address.replace('PORT', String((server.address() as AddressInfo).port))
    await expect(page.goto(url)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
    expect(problems).toContainEqual(`request to another host: ${url}`)
    await close()
  })

  test('reports what is wrong with a page', async () => {
    const { page, problems, close } = await openWindow(browser, { width: 360, theme: 'dark' })
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect([problems, await checkAccessibility(page)]).toEqual([[], []])
    await page.evaluate(`console.error('one'); setTimeout(() => { throw new Error('two') })`)
    await page.evaluate(`document.querySelector('main').innerHTML = '<img src="http://example.org/x"><input>'`)
    await expect.poll(() => problems).toHaveLength(4)
    expect(await checkAccessibility(page)).toEqual(['image-alt: img', 'label: input', 'page-has-heading-one: html'])
    await close()
  })
})

test('without Chromium, suites are skipped and noted, or fail', () => {
  const notes = join(writeFolder({}), 'notes')
  vi.stubEnv('PATH', '')
  vi.stubEnv('REQUIRE_SERVICES', '')
  vi.stubEnv('SITEPRINT_TEST_SKIPPED', notes)
  expect(isBrowserMissing('the suite')).toBe(true)
  expect(formatSkipped(readFileSync(notes, 'utf8'))).toEqual([
    'SKIPPED 1 suite without Chromium: run "tools/browser.sh install"',
  ])
  vi.stubEnv('REQUIRE_SERVICES', '1')
  expect(() => isBrowserMissing('the suite')).toThrow(/the suite: needs/)
  vi.unstubAllEnvs()
})
