import type { BrowserType } from 'playwright-core'
import { SetupError } from '../errors.ts'

/**
 * Loads Playwright, only where pages are rendered: the package is optional and large.
 * @throws SetupError if it is not installed
 */
export async function loadDriver(): Promise<BrowserType> {
  try {
    return (await import('playwright-core')).chromium
  } catch (cause) {
    throw new SetupError('rendering needs the package playwright-core: install it with "npm install playwright-core"', {
      cause,
    })
  }
}
