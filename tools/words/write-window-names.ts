import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../../src/errors.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { findBrowser, launchBrowser } from '../browser/browser.ts'

const TARGET = join(projectFolder(), 'src/rules/checks/window-names.txt')

/**
 * Writes the names of the properties that `window` has before any script of a page has run, one in each line.
 * @throws SetupError without Chromium
 */
export async function writeWindowNames(): Promise<string> {
  const chromium = findBrowser()
  if (chromium === null) throw new SetupError('Chromium is missing: run "tools/browser.sh install"')
  const browser = await launchBrowser(chromium)
  try {
    const page = await browser.newPage()
    const names = await page.evaluate(() => {
      const found = new Set<string>()
      for (let object: unknown = globalThis; object !== null; object = Object.getPrototypeOf(object))
        for (const name of Object.getOwnPropertyNames(object)) found.add(name)
      return [...found]
    })
    // What the driver of the browser adds is not a name of the browser.
    const own = names.filter((name) => !/playwright|^__pw/i.test(name)).sort()
    writeFileSync(TARGET, `${own.join('\n')}\n`)
    return `${own.length} names of ${browser.version()}`
  } finally {
    await browser.close()
  }
}
