import { tmpdir } from 'node:os'
import type { Browser, BrowserType } from 'playwright-core'
import { SetupError } from '../errors.ts'

/** Which browser renders pages. */
export interface BrowserSettings {
  /** The file of Chromium. */
  readonly chromium: string
  /** Whether Chromium uses its sandbox. */
  readonly sandbox: boolean
}

/**
 * Flags that leave the browser's traffic no way but the proxy of a page. Names resolve nowhere, addresses of this
 * machine go to the proxy too, and neither QUIC nor WebRTC opens a socket of its own.
 */
const NETWORK_FLAGS = [
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const

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
export async function openChromium({ chromium: file, sandbox }: BrowserSettings): Promise<Browser> {
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

/** Loaded only where pages are rendered: the package is optional and large. */
async function loadDriver(): Promise<BrowserType> {
  try {
    return (await import('playwright-core')).chromium
  } catch (cause) {
    throw new SetupError('rendering needs the package playwright-core: install it with "npm install playwright-core"', {
      cause,
    })
  }
}

/** The last line of a browser's output that says something, or the first of the message. */
function findReason(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const said = lines.findLast((line) => /ERROR|FATAL|error while/.test(line)) ?? lines[0]
  return said.replace(/^.*?\[(?:err|pid=\d+)\]\s*/, '').slice(0, 200)
}
