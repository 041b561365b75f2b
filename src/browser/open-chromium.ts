import { tmpdir } from 'node:os'
import type { Browser } from 'playwright-core'
import { SetupError } from '../errors.ts'
import { loadDriver } from './load-driver.ts'
import { NETWORK_FLAGS } from './network-flags.ts'

/** What a page without a person has no use for. */
const OTHER_FLAGS = [
  '--proxy-server=http://127.0.0.1:1',
  '--disable-gpu',
  '--disable-3d-apis',
  '--mute-audio',
  '--no-pings',
  '--disable-print-preview',
  '--disable-remote-fonts',
  '--js-flags=--max-old-space-size=512',
]

/** Default arguments of Playwright that open what should stay closed. */
const UNWANTED_FLAGS = ['--disable-popup-blocking', '--allow-pre-commit-input']
const START_TIMEOUT_MS = 60_000
const WITHOUT_SANDBOX = 'set CHROMIUM_SANDBOX=off only if nothing else is possible (docs/rendering.md)'

/**
 * Starts Chromium. It gets no variable of this process.
 * @throws SetupError that says what to do
 */
export async function openChromium(file: string, sandbox: boolean): Promise<Browser> {
  const driver = await loadDriver()
  try {
    return await driver.launch({
      executablePath: file,
      headless: true,
      chromiumSandbox: sandbox,
      args: [...NETWORK_FLAGS, ...OTHER_FLAGS],
      ignoreDefaultArgs: UNWANTED_FLAGS,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: tmpdir(), TMPDIR: tmpdir(), LANG: 'C.UTF-8' },
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      timeout: START_TIMEOUT_MS,
    })
  } catch (error) {
    const { message } = error as Error
    if (/Running as root without --no-sandbox/.test(message))
      throw new SetupError(`Chromium does not start as root with its sandbox: use another user; ${WITHOUT_SANDBOX}`)
    if (/No usable sandbox|namespace/.test(message))
      throw new SetupError(`Chromium has no sandbox here: allow user namespaces; ${WITHOUT_SANDBOX}`)
    throw new SetupError(`Chromium does not start from ${file}: ${findReason(message)}`, { cause: error })
  }
}

/** The last line of a browser's output that says something, or the first of the message. */
function findReason(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const said = lines.findLast((line) => /ERROR|FATAL|error while/.test(line)) ?? lines[0]
  return said.replace(/^.*?\[(?:err|pid=\d+)\]\s*/, '').slice(0, 200)
}
