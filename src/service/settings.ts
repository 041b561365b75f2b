import { findBrowserSource } from '../browser/browser-source.ts'
import type { Plan } from '../keys/plans.ts'
import type { Revision } from './request-state.ts'

/** The settings that say whether there is a browser. Without one, `render` is refused. */
export interface RenderingSettings {
  /** File of the browser. */
  readonly chromium?: string | null
  /** DevTools address of the browser. */
  readonly browserUrl?: string | null
}

/** Whether pages can be rendered. */
export function hasBrowser({ chromium = null, browserUrl = null }: RenderingSettings): boolean {
  return findBrowserSource({ chromium, browserUrl }) !== null
}

/** The settings that both the API and the portal use. */
export interface ServiceSettings extends RenderingSettings {
  readonly plans: ReadonlyMap<string, Plan>
  /** API revision of keys that are not pinned to one. */
  readonly apiRevision: Revision
  /** The address that people see, without a trailing slash; null if `PUBLIC_URL` is not set. */
  readonly publicUrl: string | null
  /** Addresses of the operators, in lower case. */
  readonly adminEmails: readonly string[]
  /** Days for which audit entries are kept. */
  readonly auditDays: number
}
