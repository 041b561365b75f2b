import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCommand, EXIT, readArgs } from '../src/cli/command/command.ts'
import { runMain } from '../src/cli/command/run-main.ts'
import { SetupError } from '../src/errors.ts'
import { projectFolder } from '../src/rules/built.ts'
import { findBrowser, LOOKS, launchBrowser, openWindow } from './browser/browser.ts'
import { findFreePort } from './browser/free-port.ts'
import { walkPortal } from './browser/tour.ts'
import { createOperator } from './create-operator.ts'

const TARGET_PAGE = '<!doctype html><title>A bakery</title><meta name="generator" content="WordPress 6.6.1"><p>Bread'

const HELP = `
Takes a picture of every page of the portal, on a phone and on a wide screen, in both themes. The service runs with new
data on a free port.

  tools/run screenshots <folder>
`

const main = defineCommand(HELP, async (args) => {
  const { positionals } = readArgs({ args, options: {}, allowPositionals: true })
  const [folder] = positionals
  if (folder === undefined) throw new SetupError('name the folder for the pictures: tools/run screenshots <folder>')
  const file = findBrowser()
  if (file === null) throw new SetupError('Chromium is missing: run "tools/browser.sh install"')
  mkdirSync(folder, { recursive: true })
  await takePictures(file, folder)
  return EXIT.ok
})

async function takePictures(browserFile: string, folder: string): Promise<void> {
  const target = createServer((_, response) => response.setHeader('content-type', 'text/html').end(TARGET_PAGE))
  await once(target.listen(0, '127.0.0.1'), 'listening')
  const data = mkdtempSync(join(tmpdir(), 'siteprint-screenshots-'))
  const emails = LOOKS.map(({ width, theme }) => `operator-${width}-${theme}@example.org`)
  const port = await findFreePort()
  const settings = {
    DATA_DIR: data,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_EMAILS: emails.join(','),
    SCAN_ALLOW: '127.0.0.1',
    TRUST_PROXY: '1',
    SIGNUP: 'open',
    LOG_LEVEL: 'warn',
  }
  const { child, url } = await startServer(settings)
  const browser = await launchBrowser(browserFile)
  for (const [i, { width, theme }] of LOOKS.entries()) {
    const { page, close } = await openWindow(browser, { width, theme, client: `192.0.2.${i + 1}` })
    const tour = {
      url,
      email: `ida-${width}-${theme}@example.org`,
      operatorEmail: emails[i],
      createOperator: () => createOperator(emails[i], settings),
      target: `http://127.0.0.1:${(target.address() as AddressInfo).port}/`,
    }
    await walkPortal(page, tour, async (name) => {
      await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`), fullPage: true })
    })
    await close()
  }
  await browser.close()
  child.kill()
  await once(child, 'exit')
  target.close()
  rmSync(data, { recursive: true })
}

async function startServer(settings: Readonly<Record<string, string>>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['tools/start.mjs', 'src/main'], {
    cwd: projectFolder(),
    env: { PATH: '', HOST: '127.0.0.1', PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of child.stdout) {
    const url = /listens on (http:\S+) /.exec(String(text))?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new SetupError('the server did not start: see its output above')
}

await runMain(main, process.argv.slice(2))
