import type { Browser } from 'playwright-core'
import { type BrowserWindow, openWindow } from '../../tools/browser/browser.ts'
import { findFreePort } from '../../tools/browser/free-port.ts'
import { LOCAL_BLOCK, openSite } from '../service/local-site.ts'
import { makeFolder, type RunningService, type Settings, startService } from '../service/start-service.ts'
import { startBrowser } from '../support/browser.ts'
import { builtProject } from '../support/built-project.ts'

export const LIGHT = { width: 1280, theme: 'light' } as const

/** A service with the portal, a site that it can scan, and a browser. */
export interface PortalInBrowser {
  readonly service: RunningService
  readonly settings: Settings
  /** The URL of a page that can be scanned. */
  readonly target: string
  /** Opens a window with an address of its own, because sign-ups are limited by address. */
  openClient(look?: Parameters<typeof openWindow>[1]): Promise<BrowserWindow>
}

/** Starts all of it for the tests of a file. @param admins e-mail addresses of administrators */
export async function openPortalInBrowser(admins: readonly string[] = []): Promise<PortalInBrowser> {
  const site = await openSite()
  const port = await findFreePort()
  const settings = {
    DATA_DIR: makeFolder(),
    SCAN_ALLOW: LOCAL_BLOCK,
    ADMIN_EMAILS: admins.join(','),
    TRUST_PROXY: '1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PORTAL: 'on',
    SIGNUP: 'open',
  }
  const started: [Browser, RunningService] = await Promise.all([startBrowser(), startService(builtProject(), settings)])
  const [browser, service] = started
  let clients = 0
  const openClient = (look: Parameters<typeof openWindow>[1] = LIGHT): Promise<BrowserWindow> =>
    openWindow(browser, { ...look, client: `198.51.100.${++clients}` })
  return { service, settings, target: site.page(1), openClient }
}
