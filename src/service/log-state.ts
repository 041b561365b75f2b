import type { Logger } from 'pino'

/** Logs the first error of the store of keys with its reason, and the first successful write after it. */
export function logStoreState(log: Logger, name: string): (isUp: boolean, why?: unknown) => void {
  return (isUp, why) => {
    if (isUp) log.info(`${name} can be written again`)
    else
      log.warn(
        { ...(why instanceof Error && { why: why.message }) },
        `${name} cannot be read or written: requests that need it get 503 until it recovers`,
      )
  }
}

/** Logs that Redis does not respond, and that it responds again. */
export function logRedisState(log: Logger): (isUp: boolean, why?: unknown) => void {
  return (isUp, why) => {
    if (isUp) log.info('Redis responds again')
    else
      log.warn(
        { ...(why instanceof Error && { why: why.message }) },
        'Redis does not respond: until it does, this node counts rate limits on its own and caches no results',
      )
  }
}
