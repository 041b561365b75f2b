import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { type Config, loadConfig } from './config.ts'
import { explain } from './explain.ts'
import { openService } from './service.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Under load V8 may take what the first requests need for long-lived, and keep what belongs to every later one until the next
// full collection: a third slower, in a third of all starts (Node 20, 2 cores).
setFlagsFromString('--no-allocation-site-pretenuring')

// The log goes to standard error: what people are to read and copy stands alone on standard output. A write for each line
// would cost as much as looking up its key: lines wait for others, but not for long.
const destination = pino.destination({ dest: 2, sync: false, minLength: 16_000, periodicFlush: 100 })

let stamp = { at: 0, text: '' }

try {
  const config = loadConfig()
  const log = pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    destination,
  )
  warn(config, log)
  const service = await openService({ config, log, version })
  let isStopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (isStopping) return // npm passes on what the terminal has sent already.
      isStopping = true
      log.info({ signal }, 'stopping: requests under way are answered')
      service.close().then(
        () => exit(0),
        (error: unknown) => {
          log.fatal({ err: error }, 'stopped with a fault')
          exit(1)
        },
      )
    })
  process.stdout.write(`${service.greeting}\n`) // Last: who reads it may send a signal at once.
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  exit(2)
}

/** The time of a line. Many lines of a busy server share a millisecond. */
function isoTime(): string {
  const now = Date.now()
  if (now !== stamp.at) stamp = { at: now, text: `,"time":"${new Date(now).toISOString()}"` }
  return stamp.text
}

/** Ends with all that was logged. */
function exit(code: number): void {
  destination.flushSync()
  process.exit(code)
}

function warn(config: Config, log: pino.Logger): void {
  if (config.scanAllow.length > 0)
    log.warn('SCAN_ALLOW is set: addresses that are not public can be scanned. It is for development alone.')
}
