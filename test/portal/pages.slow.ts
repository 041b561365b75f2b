import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { DIFFERENT_LOOKS } from '../../tools/browser/browser.ts'
import { listDisplayedPaths, walkPortal } from '../../tools/browser/tour.ts'
import { createOperator } from '../../tools/create-operator.ts'
import { checkAccessibility, isBrowserMissing } from '../support/browser.ts'
import { openPortalInBrowser, type PortalInBrowser } from './portal-in-browser.ts'

const emails = DIFFERENT_LOOKS.map(({ width, theme }) => `operator-${width}-${theme}@example.org`)
/** A tour takes a few seconds, but minutes while other programs use all cores. */
const TOUR_TIMEOUT_MS = 300_000

/** The text of the page must not be wider than the window: tables and code scroll by themselves. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

describe.skipIf(isBrowserMissing('the pages of the portal'))('the pages of the portal', () => {
  let portal: PortalInBrowser
  beforeAll(async () => {
    portal = await openPortalInBrowser(emails)
  })

  test.each(DIFFERENT_LOOKS.map((look, i) => [look.width, look.theme, emails[i]] as const))(
    'every page is accessible and fits at %d px, %s',
    async (width, theme, operatorEmail) => {
      const { page, problems, close } = await portal.openClient({ width, theme })
      const found: Record<string, readonly string[]> = {}
      const { service, settings, target } = portal
      const tour = {
        ...{ url: service.url, target, operatorEmail, email: `ida-${width}-${theme}@example.org` },
        createOperator: () => createOperator(operatorEmail, settings),
      }
      const visited = new Set<string>()
      await walkPortal(page, tour, async (name) => {
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
})
