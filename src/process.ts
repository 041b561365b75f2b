import { closeSync, openSync, readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { formatError } from './cli/command/format-error.ts'
import type { Service, ServiceOptions } from './compose.ts'
import { listAdvice } from './config/advice.ts'
import { loadConfig } from './config/config.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Under load V8 may classify the objects of the first requests as long-lived, and then allocate those of every later request
// in the old generation, until a full collection: a third slower, in a third of all starts (Node 20, 2 cores).
setFlagsFromString('--no-allocation-site-pretenuring')

// The log goes to standard error, so that standard output contains only the greeting with the first key. Lines are written in
// batches, because one write per line would cost as much as the lookup of the key. If standard error is not read, lines are
// lost; the service continues and can be stopped.
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
  // After the terminal was closed, no line can be written; pending requests are still answered. Other errors, such as a full
  // disk, may be temporary.
  isTerminalGone ||= code === 'EIO'
  if (isTerminalGone) destination.write = () => true
  // sonic-boom (4.2) would retry forever, with the event loop blocked.
  destination.flushSync = () => {}
})
/** Time limit for writing the last log lines. */
const LAST_LINES_MS = 1000

let stamp = { at: 0, text: '' }
let service: Service | undefined
let isStopping = false

/** Opens what a process serves. */
export type OpenService = (options: ServiceOptions) => Promise<Service>

/** Runs a process: settings, log, signals, graceful stop. Never rejects: an error at the start ends the process. */
export async function runProcess(open: OpenService): Promise<void> {
  try {
    const config = loadConfig()
    const log = pino(
      {
        level: config.logLevel,
        base: null,
        timestamp: formatTime,
        formatters: { level: (level) => ({ level }) },
      },
      destination,
    )
    // Registered early, because the first process of a container receives only signals that it handles.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal, log))
    // A terminal sends SIGHUP when it is closed. A server without a terminal gets it only from its operator.
    const isInTerminal = hasTerminal()
    process.on('SIGHUP', () => {
      if (isInTerminal) stop('SIGHUP', log)
      else if (!isStopping) void service?.reloadPlans()
    })
    for (const { text } of listAdvice(config)) log.warn(text)
    service = await open({ config, log, version })
    process.stdout.write(`${service.greeting}\n`) // The last step, because a process that reads it may send a signal immediately.
  } catch (error) {
    process.stderr.write(`${formatError(error)}\n`)
    exit(2)
  }
}

/** Formats the time of a log line. It is reused within a millisecond, because a busy server writes many lines in one. */
function formatTime(): string {
  const now = Date.now()
  if (now !== stamp.at) stamp = { at: now, text: `,"time":"${new Date(now).toISOString()}"` }
  return stamp.text
}

/** Whether this process has a controlling terminal, even if its input and output are redirected. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

function stop(signal: string, log: pino.Logger): void {
  if (isStopping) return // npm forwards the signal that the terminal has already sent.
  isStopping = true
  if (service === undefined) {
    exit(0) // No request has been answered yet.
    return
  }
  log.info({ signal }, 'stopping: completing pending requests')
  service.close().then(
    () => exit(0),
    (error: unknown) => {
      log.fatal({ err: error }, 'stopped with an error')
      exit(1)
    },
  )
}

/** Exits after the log is written. If standard error is not read, the write never completes and SIGKILL ends the process. */
function exit(code: number): void {
  if (isTerminalGone) process.kill(process.pid, 'SIGKILL') // On exit Node (20) would abort while resetting the closed terminal.
  if (isLogBroken) process.exit(code)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_LINES_MS)
  destination.flush(() => {
    destination.flushSync() // Writes the lines logged during the last write.
    process.exit(code)
  })
}
