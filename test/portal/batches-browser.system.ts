import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { LOOKS } from '../../tools/browser/browser.ts'
import { signUp } from '../../tools/browser/tour.ts'
import { checkAccessibility, isBrowserMissing } from '../support/browser.ts'
import { openPortalInBrowser, type PortalInBrowser } from './portal-in-browser.ts'

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Looks at a page. That of a batch that runs loads itself again, and then the new one is looked at. */
async function lookAt<T>(page: Page, look: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (!String(error).includes('Execution context was destroyed')) throw error
      await page.waitForLoadState()
    }
  }
}

describe.skipIf(isBrowserMissing('batches in a browser'))('batches in a browser', () => {
  let portal: PortalInBrowser
  beforeAll(async () => {
    portal = await openPortalInBrowser()
  })

  test.each([{ hasScripts: true }, { hasScripts: false }])(
    'a file is uploaded, watched and downloaded at each width in each theme, with JavaScript: $hasScripts',
    { timeout: 120_000 },
    async ({ hasScripts }) => {
      const { page, problems, close } = await portal.openClient({ width: 360, theme: 'light', hasScripts })
      const check = async (): Promise<void> => {
        for (const look of LOOKS) {
          await page.setViewportSize({ width: look.width, height: 800 })
          await page.emulateMedia({ colorScheme: look.theme })
          const found = hasScripts ? await lookAt(page, () => checkAccessibility(page)) : []
          expect({ look, isTooWide: await lookAt(page, () => isTooWide(page)), found, problems }).toEqual({
            ...{ look, isTooWide: false, found: [], problems: [] },
          })
        }
      }
      await page.goto(`${portal.service.url}/signup`)
      await signUp(page, { email: `batch-${hasScripts}@example.org` })
      await page.getByRole('link', { name: 'Batches', exact: true }).click()
      await page.getByText('What the results contain').click()
      await check()
      // The service scans a host once a second, so the page is seen while the batch runs.
      const sites = [1, 2, 3].map((n) => `${portal.target}?${hasScripts}-${n}`)
      const rows = [...sites, 'http://printer.lan/'].map((url) => `Shop,${url}\n`)
      const buffer = Buffer.from(`name,home\n${rows.join('')}`)
      await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'shops.csv', mimeType: 'text/csv', buffer })
      await page.getByLabel('Column with the URLs').fill('home')
      await page.getByRole('button', { name: 'Start the batch' }).click()
      await page.getByRole('heading', { name: 'Batch of 4 URLs' }).waitFor()
      await check()
      const update = page.getByRole('link', { name: 'Update every 10 seconds' })
      if (!hasScripts && (await update.count()) > 0) await update.click() // Otherwise the batch has already ended.
      await page.getByText('Completed: 4 of 4 URLs').waitFor({ timeout: 90_000 })
      await page.getByText('Results are deleted').waitFor()
      await check()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download NDJSON' }).click(),
      ])
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
      expect(lines.map((line) => JSON.parse(line).position).sort()).toEqual([0, 1, 2, 3])
      await page.getByRole('link', { name: 'Charts' }).click()
      await page.getByRole('heading', { name: 'Errors by code' }).waitFor()
      await check()
      await page.getByRole('link', { name: 'Table' }).click()
      await page.getByText('blocked_target').waitFor()
      await check()
      await close()
    },
  )
})
