import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BrowserWindow, DIFFERENT_LOOKS, type Look, openWindow } from '../../tools/browser/browser.ts'
import { checkAccessibility, isBrowserMissing, startBrowser } from '../support/browser.ts'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { buildHostileLines } from './hostile-lines.ts'

const LOOK = { width: 1280, theme: 'light' } as const
const MANY = 5000

describe.skipIf(isBrowserMissing('the report in a browser'))('the report in a browser', () => {
  const folder = writeFolder({ 'hostile.jsonl': `${buildHostileLines().join('\n')}\n`, 'many.jsonl': buildManyLines() })
  let browser: Browser
  beforeAll(async () => {
    browser = await startBrowser()
    const { folder: project } = smallProject()
    const example = join(project, 'examples', 'results.jsonl')
    const earlier = join(project, 'examples', 'earlier-results.jsonl')
    await writeReport('example', example, '--compare', earlier)
    // axe takes a millisecond for each element, so the report has few sites.
    const few = readFileSync(example, 'utf8')
      .split('\n')
      .filter((_, i) => [0, 7, 8].includes(i))
    writeFileSync(join(folder, 'few.jsonl'), few.join('\n'))
    await writeReport('few', join(folder, 'few.jsonl'), '--compare', earlier)
    await writeReport('hostile', join(folder, 'hostile.jsonl'), '--compare', example)
    await writeReport('many', join(folder, 'many.jsonl'), '--rows', '4999')
  })

  async function writeReport(name: string, ...args: string[]): Promise<void> {
    const { stderr } = await smallProject().run('report', [...args, '--out', join(folder, `${name}.html`)])
    expect(stderr).toContain(`The report is in ${join(folder, `${name}.html`)}.\n`)
  }

  async function openReport(name: string, look: Look = LOOK): Promise<BrowserWindow> {
    const opened = await openWindow(browser, look)
    await opened.page.goto(pathToFileURL(join(folder, `${name}.html`)).href)
    return opened
  }

  const listSites = (page: Page): Promise<string[]> => page.locator('#sites tbody th').allInnerTexts()
  const isTooWide = (page: Page): Promise<boolean> =>
    page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth')

  test.each(DIFFERENT_LOOKS)('opens from disk without problems: $width, $theme', async (look) => {
    const { page, problems, close } = await openReport('few', look)
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
    expect([problems, await checkAccessibility(page), await isTooWide(page)]).toEqual([[], [], false])
    await close()
  })

  test('the sites of the example fit into the table: no bars, no address broken inside a word', async () => {
    const { page, close } = await openReport('example')
    const box = page.locator('#sites .table')
    const hidden = (): Promise<number[]> =>
      box.evaluate((one) => [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight])
    const broken = `[...document.querySelectorAll('#sites tbody th bdi')]
      .filter((one) => new Set([...one.getClientRects()].map(({ top }) => top)).size > 1).map((one) => one.textContent)`
    expect([await hidden(), await page.evaluate<string[]>(broken)]).toEqual([
      [0, 0],
      ['https://northgate-gazette.example/'], // Broken at its hyphen.
    ])
    const failed = page.locator('#sites tbody tr', { hasText: 'scan_timeout' })
    expect(await failed.locator('td').allInnerTexts()).toEqual([
      ...['', '', '', '', 'scan_timeout'],
      'The site did not respond in time. Try again later.',
    ])
    await page.getByLabel('Search sites').fill('zzz')
    expect(await hidden()).toEqual([0, 0])
    await close()
  })

  test('sorts and searches', async () => {
    const { page, problems, close } = await openReport('example')
    const sites = page.locator('#sites')
    await sites.getByRole('button', { name: 'Confidence' }).press('Enter')
    const first = (await listSites(page))[0]
    await sites.getByRole('button', { name: 'Confidence' }).press('Enter')
    // Medium comes first when the order is reversed; sites without a builder stay last.
    expect([first, (await listSites(page))[0], (await listSites(page)).at(-1)]).toEqual([
      'https://harbourline.example/',
      'https://quietharbour.example/',
      'https://sandpiper.example/',
    ])
    expect(await sites.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending')
    await page.getByLabel('Search sites').fill('WORDPRESS yoast')
    expect(await listSites(page)).toEqual(['https://northgate-gazette.example/'])
    await page.getByLabel('Search sites').fill('nowhere')
    expect([await sites.getByRole('status').innerText(), await listSites(page), problems]).toEqual([
      'Nothing found',
      [],
      [],
    ])
    await page.getByLabel('Search changes').fill('hosting')
    expect(await page.locator('#changes tbody th').allInnerTexts()).toEqual(
      ['https://quietharbour.example/', 'https://harbourline.example/'].reverse(),
    )
    await close()
  })

  test('of many sites is quick', async () => {
    const { page, problems, close } = await openReport('many')
    const status = page.locator('#sites').getByRole('status')
    expect(await status.innerText()).toBe('1 to 100 of 4,999')
    expect(await page.locator('#sites > p').innerText()).toContain('The table lists the first 4,999 of 5,000 sites.')
    // A sort and a search of all rows take about 50 ms without other load.
    const ms = await page.evaluate<number>(`(() => {
      const start = performance.now()
      document.querySelector('#sites thead button').click()
      const input = document.querySelector('#sites input')
      input.value = 'site-49'
      input.dispatchEvent(new Event('input'))
      return performance.now() - start
    })()`)
    expect([await status.innerText(), problems]).toEqual(['1 to 100 of 110', []])
    expect(ms).toBeLessThan(2000)
    await page.getByRole('button', { name: 'Next sites' }).click()
    expect(await status.innerText()).toBe('101 to 110 of 110')
    expect(await page.getByRole('button', { name: 'Next sites' }).isDisabled()).toBe(true)
    await close()
  })

  test('is complete without JavaScript', async () => {
    const { page, problems, close } = await openReport('example', { ...LOOK, hasScripts: false })
    expect(await listSites(page)).toHaveLength(10)
    expect(await page.locator('button:visible, input:visible').count()).toBe(0)
    expect(await page.locator('#builders svg:visible').count()).toBe(1)
    const texts = [await page.locator('.lead').textContent(), await page.locator('summary').allTextContents()]
    expect(texts).toEqual([
      expect.stringMatching(/^results\.jsonl.*, compared with earlier-results\.jsonl.*[^.]$/),
      expect.arrayContaining(['Table of AI-native share', 'Table of site types']),
    ])
    await page.locator('#builders summary').click()
    expect(await page.locator('#builders tbody tr').first().innerText()).toBe('WordPress\t2\t25.0%\t3')
    expect(problems).toEqual([])
    await close()
  })

  test('of hostile results contains nothing of theirs but text', async () => {
    const { page, problems, close } = await openReport('hostile', { width: 360, theme: 'dark' })
    expect([problems, await isTooWide(page)]).toEqual([[], false])
    expect(await page.title()).toMatch(/^Report on \d+ sites · Siteprint$/)
    const names = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')].map((one) => one.localName)`)
    expect(names.filter((name) => ['script', 'style', 'iframe', 'img', 'object', 'form'].includes(name))).toEqual([
      'script',
    ])
    const attributes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('body *')].flatMap((one) => one.getAttributeNames()).filter((name) => /^on|style|src/.test(name))`,
    )
    const links = await page.evaluate<string[]>(`[...document.querySelectorAll('a')].map((one) => one.protocol)`)
    expect([attributes, [...new Set(links)]]).toEqual([[], ['file:', 'https:']])
    await close()
  })

  test('runs no other script, even if one got into it', async () => {
    const html = readFileSync(join(folder, 'example.html'), 'utf8')
    const injected = `<script>document.title = 'taken'</script><img src="data:,x" onerror="document.title = 'taken'"><style>h1 { color: red }</style>`
    writeFileSync(join(folder, 'injected.html'), html.replace('<h1>', `${injected}<h1>`))
    const { page, problems, close } = await openReport('injected')
    expect(await page.title()).toBe('Report on 10 sites · Siteprint')
    expect(await listSites(page)).toHaveLength(10)
    expect(problems.length).toBeGreaterThan(2)
    expect(problems.filter((problem) => !problem.includes('Content Security Policy'))).toEqual([])
    await close()
  })
})

function buildManyLines(): string {
  const lines = Array.from({ length: MANY }, (_, i) => {
    const url = `https://site-${i}.example/`
    const technologies = ['Google Analytics', 'jQuery', 'Open Graph', 'React', 'Tailwind CSS', 'WordPress', 'Yoast SEO']
    return `${JSON.stringify({ url, result: { builder: 'WordPress', confidence: 'high', technologies, siteType: 'blog' } })}\n`
  })
  return lines.join('')
}
