import type { Logger as PinoLogger } from 'pino'

/** The part of the service's log that accounts use. */
export type Logger = Pick<PinoLogger, 'error' | 'warn' | 'info'>

/**
 * Passes warnings and errors of better-auth to the log, both as warnings, because an error that ends a request is
 * logged by its page. The arguments of a message are omitted, because they may contain rows of the database, and e-mail
 * addresses are removed from its text.
 */
export function logLibraryMessage(log: Logger, level: string, message: unknown): void {
  if (level !== 'warn' && level !== 'error') return
  const words = String(message).split(/\s/)
  const why = words.map((word) => (word.includes('@') ? '[address]' : word)).join(' ')
  log.warn({ why }, 'better-auth reported a problem')
}
