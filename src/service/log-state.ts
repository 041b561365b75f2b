import type { Logger } from 'pino'

/** Receives that a part of the service failed, with the reason, or works again. */
type LogChange = (isUp: boolean, why?: unknown) => void

/** Logs the first error of the store of keys with its reason, and the first successful write after it. */
export function logStoreState(log: Logger, name: string): LogChange {
  return logState(log, {
    up: `${name} can be written again`,
    down: `${name} cannot be read or written: requests that need it get 503 until it recovers`,
  })
}

/** Logs that Redis does not respond, and that it responds again. */
export function logRedisState(log: Logger): LogChange {
  return logState(log, {
    up: 'Redis responds again',
    down: 'Redis does not respond: until it does, this node counts rate limits on its own and caches no results',
  })
}

function logState(log: Logger, { up, down }: { readonly up: string; readonly down: string }): LogChange {
  return (isUp, why) => {
    if (isUp) log.info(up)
    else log.warn({ ...(why instanceof Error && { why: why.message }) }, down)
  }
}
