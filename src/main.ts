import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { formatError } from './cli/format-error.ts'
import { openService, type Service } from './compose.ts'
import { type Config, loadConfig } from './config/config.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Under load V8 may take what the first requests need for long-lived, and keep what belongs to every later one until the next
// full collection: a third slower, in a third of all starts (Node 20, 2 cores).
setFlagsFromString('--no-allocation-site-pretenuring')

// The log goes to standard error: what people are to read and copy stands alone on standard output. A write for each line
// would cost as much as looking up its key: lines wait for others, but not for long. Where nobody reads them they are lost:
// the service goes on, and ends.
const destination = pino.destination({
  dest: 2,
  sync: false,
  minLength: 16_000,
  periodicFlush: 100,
  maxLength: 4_000_000,
})
let isLogBroken = false
let isTerminalGone = false
destination.on('error', ({ code }: NodeJS.ErrnoException) => {
  isLogBroken = true
  // A terminal that was closed takes no more lines: they are lost, and the requests under way are still answered. Other
  // errors, such as a full disk, may pass.
  isTerminalGone ||= code === 'EIO'
  if (isTerminalGone) destination.write = () => true
  // sonic-boom (4.2) would try for ever, with the event loop blocked.
  destination.flushSync = () => {}
})
/** Milliseconds that the last lines may take. */
const LAST_LINES_MS = 1000

let stamp = { at: 0, text: '' }
let service: Service | undefined
let isStopping = false

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
  // At once: the first process of a container is told of no signal that it does not wait for.
  // SIGHUP comes from a terminal that closes.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal, log))
  warn(config, log)
  service = await openService({ config, log, version })
  process.stdout.write(`${service.greeting}\n`) // Last: who reads it may send a signal at once.
} catch (error) {
  process.stderr.write(`${formatError(error)}\n`)
  exit(2)
}

/** The time of a line. Many lines of a busy server share a millisecond. */
function isoTime(): string {
  const now = Date.now()
  if (now !== stamp.at) stamp = { at: now, text: `,"time":"${new Date(now).toISOString()}"` }
  return stamp.text
}

function stop(signal: string, log: pino.Logger): void {
  if (isStopping) return // npm passes on what the terminal has sent already.
  isStopping = true
  if (service === undefined) {
    exit(0) // Nobody was answered yet.
    return
  }
  log.info({ signal }, 'stopping: requests under way are answered')
  service.close().then(
    () => exit(0),
    (error: unknown) => {
      log.fatal({ err: error }, 'stopped with a fault')
      exit(1)
    },
  )
}

/** Ends with all that was logged. Where nobody reads it, a write never ends, and an exit would wait for it: then by force. */
function exit(code: number): void {
  if (isTerminalGone) process.kill(process.pid, 'SIGKILL') // Node (20) would abort when it resets the terminal.
  if (isLogBroken) process.exit(code)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINES_MS)
  destination.flush(() => {
    destination.flushSync() // What came while the last write was under way.
    process.exit(code)
  })
}

function warn(config: Config, log: pino.Logger): void {
  if (config.scanAllow.length > 0)
    log.warn('SCAN_ALLOW is set: addresses that are not public can be scanned. It is for development alone.')
}
