import { ScanError } from '../../errors.ts'
import { type Backend, type SiteResult, ToolError } from '../../mcp/backend.ts'
import { toLiveResult } from '../../scan/live-result.ts'
import type { CommandIo } from '../command/command.ts'
import { buildRenderer, type LiveOptions, openScanner } from '../scan/live-scan.ts'
import { scanSite } from '../scan/scan-site.ts'
import { parseSite } from '../scan/site-list.ts'

/** Scans from this machine, with the policy of addresses that the command `scan` has. */
export async function openLocalBackend(
  options: LiveOptions,
  io: Pick<CommandIo, 'stderr'>,
): Promise<Backend & { close(): Promise<void> }> {
  const renderer = await buildRenderer(options, io)
  const scanner = await openScanner({ ...options, renderer }, io)
  let used = 0
  return {
    scan: async (url, { include, pages = 1, render = 'never' }) => {
      if (render !== 'never' && renderer === null) throw new ToolError(NO_BROWSER)
      try {
        const scan = await scanSite(scanner, parseSite(url), { pages, render })
        used += scan.parts?.length ?? 1
        return toLiveResult(scan, include) as SiteResult
      } catch (error) {
        if (error instanceof ScanError) throw new ToolError(`${error.message} (${error.code})${advise(error)}`)
        throw error
      }
    },
    listCatalogue: async () => (await scanner.ready()).catalogue,
    readUsage: async () => ({ plan: null, used, limit: null, remaining: null, resetsOn: null }),
    close: async () => {
      await scanner.close()
      await renderer?.close()
    },
  }
}

const NO_BROWSER =
  'There is no browser, so pages cannot be rendered. Leave out render, or start `siteprint mcp` with CHROMIUM set to the file of Chromium.'

function advise({ reason }: ScanError): string {
  return reason === 'not_public'
    ? ' To scan a site on your own machine or network, add it to the arguments that start Siteprint: "mcp", "--allow", "127.0.0.1:8080".'
    : ''
}
