import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { findBrowser, launchBrowser } from '../../tools/browser/browser.ts'
import { onFileEnd } from './on-file-end.ts'
import { skipSuite } from './report-skipped.ts'

const found = new Map<string | undefined, string | null>()

/** The file of Chromium: searched once for all test files of this process, and again if a test changes where. */
function findChromium(): string | null {
  const file = found.get(process.env.PATH) ?? findBrowser()
  found.set(process.env.PATH, file)
  return file
}

/** Whether Chromium is missing. Its suites are then skipped. @throws Error if REQUIRE_SERVICES is 1 */
export function isBrowserMissing(suite: string): boolean {
  if (findChromium() !== null) return false
  skipSuite(suite, { what: 'Chromium', todo: 'run "tools/browser.sh install"' })
  return true
}

/** Starts a browser that is closed after the tests of this file. */
export async function startBrowser(): Promise<Browser> {
  const browser = await launchBrowser(findChromium() ?? '')
  onFileEnd(() => browser.close())
  return browser
}

/** Checks a page with axe. @returns one line for each violation: the rule, and the elements */
export async function checkAccessibility(page: Page): Promise<readonly string[]> {
  // The other mode opens a second window for each check, which only frames of other origins need.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
