import type { Config } from './settings.ts'

/** Whether the portal is served. Nodes on MongoDB that are upgraded without new settings keep serving only the API. */
export function isPortalOn({
  portal,
  mongodbUrl,
  authSecret,
}: Pick<Config, 'portal' | 'mongodbUrl' | 'authSecret'>): boolean {
  return portal !== 'off' && (mongodbUrl === null || authSecret !== null)
}
