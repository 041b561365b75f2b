import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import { servicesStatus } from '../../tools/services-status.ts'
import { skipSuite } from './report-skipped.ts'

/** A server that one suite has to itself. */
export interface OwnServer {
  readonly url: string
  /** Kills the server immediately, like a crash (SIGKILL). */
  kill(): Promise<void>
  /** Pauses the server (SIGSTOP): it accepts connections but does not respond. */
  pause(): void
  resume(): void
  /** Starts the server again after `kill`, on the same port and data. */
  restart(): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

interface ServerKind {
  readonly name: string
  /** Name of its line in the output of `services.sh status --binaries`. */
  readonly binary: string
  readonly scheme: string
  /** Arguments of the program. */
  readonly buildArgs: (port: number, data: string) => readonly string[]
  /** A request that only a running server answers; accepting a connection does not prove that it runs. mongod answers HTTP. */
  readonly question: string
  /** The beginning of the response. */
  readonly answer: string
}

const REDIS: ServerKind = {
  name: 'Redis',
  binary: 'REDIS_SERVER',
  scheme: 'redis',
  buildArgs: (port, data) => [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    data,
    '--save',
    '',
    '--appendonly',
    'yes',
    '--appendfsync',
    'everysec',
  ],
  question: 'PING\r\n',
  answer: '+PONG',
}

const MONGODB: ServerKind = {
  name: 'MongoDB',
  binary: 'MONGOD',
  scheme: 'mongodb',
  buildArgs: (port, data) => [
    '--port',
    String(port),
    '--bind_ip',
    '127.0.0.1',
    '--dbpath',
    data,
    '--nounixsocket',
    '--wiredTigerCacheSizeGB',
    '0.25',
  ],
  question: 'GET / HTTP/1.0\r\n\r\n',
  answer: 'HTTP/1.',
}

const found = new Map<string, Readonly<Record<string, string>>>()

/** What `services.sh status` prints: asked once for all test files of this process, and again if a test changes where it looks. */
function findServices(...words: readonly string[]): Readonly<Record<string, string>> {
  const key = [process.env.XDG_CACHE_HOME, ...words].join(' ')
  const status = found.get(key) ?? servicesStatus(...words)
  found.set(key, status)
  return status
}

/** More databases than one run of the tests uses. */
const MIN_DATABASES = 100

/**
 * URL of the running Redis, with a different database for each call. Null if Redis is not running: the suite is then skipped.
 * @throws Error if it has so few databases that suites would share them
 */
export async function redisUrl(suite: string): Promise<string | null> {
  const url = process.env.REDIS_URL || findServices().REDIS_URL
  if (url === undefined) return reportMissing(suite, 'a running Redis')
  const { databases, next } = await countDatabases(url)
  if (databases < MIN_DATABASES)
    throw new Error(`Redis has ${databases} databases: start it with --databases ${MIN_DATABASES} or more`)
  const own = new URL(url)
  own.pathname = String(1 + (next % (databases - 1)))
  return own.href
}

/** Numbers the calls on the server, because several test processes share it. @throws Error if Redis does not respond */
async function countDatabases(url: string): Promise<{ readonly databases: number; readonly next: number }> {
  const client = createClient({ url, socket: { connectTimeout: 10_000, reconnectStrategy: false } })
  client.on('error', () => {}) // `connect` throws it too.
  try {
    await client.connect()
    const { databases } = await client.configGet('databases')
    return { databases: Number(databases), next: await client.incr('siteprint:test:databases') }
  } catch (cause) {
    throw new Error('Redis did not assign a database', { cause })
  } finally {
    client.destroy()
  }
}

/** URL of the running MongoDB, with a new database name for each call. Null if it is not running: the suite is then skipped. */
export function mongoUrl(suite: string): string | null {
  const url = process.env.MONGODB_URL || findServices().MONGODB_URL
  if (url === undefined) return reportMissing(suite, 'a running MongoDB')
  const database = `siteprint_test_${randomBytes(8).toString('hex')}`
  return url.replace(/^([^/]+\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`)
}

/** Starts a separate Redis that keeps its data when it is killed. Null if it is not installed. */
export function startRedis(suite: string): Promise<OwnServer | null> {
  return startServer(suite, REDIS)
}

/** Starts a separate MongoDB. Null if it is not installed. @param more additional arguments of the program */
export function startMongo(suite: string, more: readonly string[] = []): Promise<OwnServer | null> {
  return startServer(suite, { ...MONGODB, buildArgs: (port, data) => [...MONGODB.buildArgs(port, data), ...more] })
}

async function startServer(suite: string, kind: ServerKind): Promise<OwnServer | null> {
  const file = findServices('--binaries')[kind.binary]
  if (file === undefined) return reportMissing(suite, kind.name)
  const port = await findFreePort()
  const data = mkdtempSync(join(tmpdir(), 'siteprint-own-'))
  const run = (): Promise<ChildProcess> => runServer(file, kind, { port, data })
  let child = await run()
  const onExit = (): void => void child.kill('SIGKILL')
  process.once('exit', onExit)
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `${kind.scheme}://127.0.0.1:${port}`,
    kill,
    pause: () => pauseProcess(child),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      child = await run()
    },
    async stop() {
      await kill()
      process.removeListener('exit', onExit)
      rmSync(data, { recursive: true, force: true })
    },
  }
}

async function runServer(
  file: string,
  kind: ServerKind,
  { port, data }: { port: number; data: string },
): Promise<ChildProcess> {
  const log = join(data, 'log')
  const descriptor = openSync(log, 'a')
  const child = spawn(file, kind.buildArgs(port, data), { stdio: ['ignore', descriptor, 'ignore'] })
  closeSync(descriptor)
  const deadline = Date.now() + 30_000
  while (!(await isAnswering(kind, port))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${kind.name} did not start: ${readFileSync(log, 'utf8').slice(-2000)}`)
    }
    await sleep(20)
  }
  return child
}

function isAnswering({ question, answer }: ServerKind, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(question)).setTimeout(2000)
    const settle = (isUp: boolean): void => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('data', (data) => settle(data.toString('latin1').startsWith(answer)))
    for (const event of ['error', 'end', 'timeout']) socket.once(event, () => settle(false))
  })
}

/** Finds a free port below those of outgoing connections, which could otherwise take it while the server is down. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  const listening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(randomInt(20_000, 32_000), '127.0.0.1', () => resolve(true))
  })
  if (!(await listening)) return findFreePort()
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function reportMissing(suite: string, what: string): null {
  skipSuite(suite, { what, todo: 'run "tools/services.sh start"' })
  return null
}

/** Pauses a process and waits until it has stopped: until the signal takes effect, the server still answers. */
function pauseProcess(child: ChildProcess): void {
  child.kill('SIGSTOP')
  const end = performance.now() + 1000
  while (performance.now() < end && !/^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')));
}
