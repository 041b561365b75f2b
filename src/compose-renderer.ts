import type { Logger } from 'pino'
import { findBrowserSource } from './browser/browser-source.ts'
import type { Rendered } from './browser/render-types.ts'
import { RenderError } from './browser/render-types.ts'
import type { Config } from './config/config.ts'
import type { Policy } from './fetch/policy.ts'
import type { Metrics } from './service/metrics.ts'

/** The browser of a service. */
export interface ServiceRenderer {
  render(url: string, globals: readonly string[], signal?: AbortSignal): Promise<Rendered>
  close(): Promise<void>
}

/**
 * Opens the browser that renders pages of scans, and counts them; null without `CHROMIUM` and `BROWSER_URL`. The browser starts in the
 * background. If it does not start, the log says why, scans are answered with pages as they were fetched, and the next page tries again.
 */
export async function openServiceRenderer(
  config: Config,
  { policy, metrics, log }: { readonly policy: Policy; readonly metrics: Metrics; readonly log: Logger },
): Promise<ServiceRenderer | null> {
  const { chromiumSandbox: sandbox, renderConcurrency: concurrency } = config
  const source = findBrowserSource(config)
  if (source === null) return null
  if (!sandbox)
    log.warn('CHROMIUM_SANDBOX is off: a page that breaks out of Chromium can do what the user of this service can do')
  const { RenderThread } = await import('./browser/render-thread.ts')
  const thread = new RenderThread({ source, sandbox, policy, concurrency })
  thread.start().then(
    () => log.info(source, 'url' in source ? 'the browser is connected' : 'the browser has started'),
    (error: Error) => log.error({ why: error.message }, 'the browser does not start: pages are not rendered'),
  )
  return {
    render: async (...page) => {
      try {
        const rendered = await thread.render(...page)
        metrics.renders.inc({ outcome: 'ok' })
        return rendered
      } catch (error) {
        const outcome = error instanceof RenderError ? error.failure : 'aborted'
        metrics.renders.inc({ outcome })
        log.info({ outcome, why: (error as Error).message }, 'a page was not rendered')
        throw error
      }
    },
    close: () => thread.close(),
  }
}
