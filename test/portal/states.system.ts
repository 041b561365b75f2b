import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Siteprint } from '../../clients/typescript/src/index.ts'
import { PAGE_STATES } from '../../src/engine/rule/types.ts'
import { type AllowedAddress, parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { Scanner } from '../../src/scan/scanner.ts'
import { DIFFERENT_LOOKS, type Look, openWindow } from '../../tools/browser/browser.ts'
import { builtWorker } from '../detector/built-worker.ts'
import { onePlan } from '../http/app-fixture.ts'
import { checkAccessibility, isBrowserMissing, startBrowser } from '../support/browser.ts'
import { smallProject } from '../support/built-project.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { openPortal, type TestPortal } from './portal-fixture.ts'
import { openVisitor } from './scan-form.ts'

type Answer = readonly [status: number, headers: Readonly<Record<string, string>>, html: string]

const text = (title: string, sentence: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p>${sentence}</p></html>`
const FOR_SALE = '<p>parked.example</p><p><a href="https://broker.example/parked.example">Make an offer</a></p>'

/** What a local site responds for each state, and whose page it is. */
const ANSWERS: readonly (readonly [state: string, by: string | null, answer: Answer])[] = [
  ['site', null, [200, {}, text('A bakery', 'Bread of the day, made of our own flour. '.repeat(5))]],
  ['wall', 'Cloudflare', [403, { 'cf-mitigated': 'challenge' }, text('Just a moment...', 'Wait.')]],
  ['login', null, [401, { 'www-authenticate': 'Basic' }, text('Unauthorized', 'Log in.')]],
  [
    'missing',
    'GitHub Pages',
    [404, {}, text('Site not found · GitHub Pages', "There isn't a GitHub Pages site here.")],
  ],
  ['error', null, [500, {}, text('Error', 'Something failed.')]],
  ['maintenance', null, [503, { 'retry-after': '3600' }, text('Back soon', 'We are working on it.')]],
  ['suspended', null, [200, {}, text('Account Suspended', 'Ask your provider.')]],
  ['default-page', 'nginx', [200, {}, text('Welcome to nginx!', 'If you see this page, the server is installed.')]],
  ['parked', null, [200, {}, `${text('parked.example is for sale', 'This domain is for sale')}${FOR_SALE}`]],
  ['empty', null, [200, {}, '<!doctype html><html lang="en"><body></body></html>']],
]

let server: Server
let scanner: Scanner
let portal: TestPortal
let origin: string
let address: string
beforeAll(async () => {
  const byPath = new Map(ANSWERS.map(([state, , answer]) => [`/${state}`, answer]))
  server = createServer(({ url = '' }, response) => {
    const [status, headers, html] = byPath.get(url) ?? [404, {}, '']
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  const policy = { ...DEFAULT_POLICY, allow: [parseAllowed(`127.0.0.1:${port}`) as AllowedAddress] }
  scanner = new Scanner({ policy, evidence: [], worker: builtWorker() })
  const rules = new CurrentRules(await scanner.ready())
  portal = await openPortal({
    policy,
    settings: onePlan(1000, 1000),
    parts: { rules },
    scan: (url) => scanner.scan(url),
  })
  address = await portal.fastify.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await scanner.close()
  server.closeAllConnections()
  server.close()
})

test('the table has every state', () => {
  expect(ANSWERS.map(([state]) => state)).toEqual([...PAGE_STATES])
})

test.each(ANSWERS)('the TypeScript client returns %s', async (state, by, [status]) => {
  const { secret } = await portal.newKey()
  const client = new Siteprint({ baseUrl: address, key: secret })
  const { page, warnings } = await client.scan(`${origin}/${state}`, { include: ['page', 'warnings'] })
  expect(page).toEqual({ state, by, status })
  const sentence = expect.stringContaining('the answer is not the site but')
  expect(warnings).toEqual(
    state === 'site' ? expect.not.arrayContaining([sentence]) : expect.arrayContaining([sentence]),
  )
})

test.each(['clients/typescript/src/schema.ts', 'clients/python/siteprint/schema.py'])(
  '%s names every state',
  (file) => {
    const schema = readFileSync(join(projectFolder(), file), 'utf8')
    expect(PAGE_STATES.filter((state) => !schema.includes(state))).toEqual([])
  },
)

describe.skipIf(isBrowserMissing('states of pages in a browser'))('in a browser', () => {
  const folder = writeFolder({})
  let browser: Browser
  let report = ''
  beforeAll(async () => {
    browser = await startBrowser()
    const { secret } = await portal.newKey()
    const lines = await Promise.all(
      ANSWERS.map(async ([state]) => {
        const url = `${origin}/${state}`
        const { body } = await portal.call({ url: `/api/v1/scan?url=${encodeURIComponent(url)}`, secret })
        return JSON.stringify({ url, result: body })
      }),
    )
    writeFileSync(join(folder, 'results.jsonl'), `${lines.join('\n')}\n`)
    report = join(folder, 'report.html')
    const { code } = await smallProject().run('report', [join(folder, 'results.jsonl'), '--out', report])
    expect(code).toBe(0)
  })

  async function openLoggedIn(look: Look) {
    const { browser: person } = await openVisitor(portal)
    const opened = await openWindow(browser, look)
    const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: address }))
    await opened.page.context().addCookies(cookies)
    return opened
  }

  const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'

  test.each(DIFFERENT_LOOKS)('the portal says what came back: $width px, $theme', async (look) => {
    const { page, problems, close } = await openLoggedIn(look)
    for (const [state, by] of ANSWERS) {
      await page.goto(`${address}/scan`)
      await page.getByLabel('Address of the page').fill(`${origin}/${state}`)
      await page.getByRole('button', { name: 'Scan', exact: true }).click()
      await page.waitForURL(/\/scan\/[\w-]+$/)
      const heading = await page.getByRole('heading', { level: 1 }).textContent()
      const notice = page.locator('.notice', { hasText: 'The answer is not the site but' })
      expect([state, heading, await notice.count()]).toEqual([
        state,
        state === 'site' ? 'No builder was recognized' : 'The site was not seen',
        state === 'site' ? 0 : 1,
      ])
      if (by !== null) expect(await notice.textContent()).toContain(`(${by}, status`)
      expect([state, await page.evaluate(isTooWide)]).toEqual([state, false])
      // The pages are alike, and a check takes seconds.
      if (state === 'wall' || state === 'empty') expect(await checkAccessibility(page)).toEqual([])
    }
    expect(problems).toEqual([])
    await close()
  })

  test.each(DIFFERENT_LOOKS)('the report counts them: $width px, $theme', async (look) => {
    const { page, problems, close } = await openWindow(browser, look)
    await page.goto(pathToFileURL(report).href)
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
    const rows = await page.locator('#states tbody th').allInnerTexts()
    const states = PAGE_STATES.filter((state) => state !== 'site')
    expect(rows).toEqual(expect.arrayContaining(states))
    expect(await page.locator('#sites tbody td:nth-child(6)').allInnerTexts()).toEqual(['', ...states])
    expect([problems, await checkAccessibility(page), await page.evaluate(isTooWide)]).toEqual([[], [], false])
    await close()
  })
})
