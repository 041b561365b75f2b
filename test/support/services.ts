import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectFolder } from '../../src/rules/built.ts'
import { servicesStatus } from '../../tools/services-status.ts'

/** A server that belongs to one suite. */
export interface OwnServer {
  readonly url: string
  /** Ends it at once, as a crash does (SIGKILL). */
  kill(): Promise<void>
  /** Holds it (SIGSTOP): it takes connections and answers nothing. */
  pause(): void
  resume(): void
  /** Starts it again after `kill`, on the same port and data. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

interface Kind {
  readonly name: string
  /** Name of the line of `services.sh status --binaries`. */
  readonly binary: string
  readonly scheme: string
  /** Arguments of the program. */
  readonly words: (port: number, data: string) => readonly string[]
  /** A server that answers this is up: a connection alone proves nothing. mongod has a word for those who ask in HTTP. */
  readonly question: string
  readonly answer: string
}

const REDIS: Kind = {
  name: 'Redis',
  binary: 'REDIS_SERVER',
  scheme: 'redis',
  words: (port, data) => [
    ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', data],
    ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'everysec'],
  ],
  question: 'PING\r\n',
  answer: '+PONG',
}

const MONGODB: Kind = {
  name: 'MongoDB',
  binary: 'MONGOD',
  scheme: 'mongodb',
  words: (port, data) => [
    ...['--port', `${port}`, '--bind_ip', '127.0.0.1', '--dbpath', data],
    ...['--nounixsocket', '--wiredTigerCacheSizeGB', '0.25'],
  ],
  question: 'GET / HTTP/1.0\r\n\r\n',
  answer: 'HTTP/1.',
}

/** One run of the tests takes fewer. */
const LEAST_DATABASES = 100

/**
 * URL of the running Redis, each time with another of its databases; null where there is none, which stderr is told.
 * @throws Error when it has so few that suites would share them
 */
export function redisUrl(suite: string): string | null {
  const url = process.env.REDIS_URL || servicesStatus().REDIS_URL
  if (url === undefined) return without(suite, 'a running Redis')
  // Tests of several processes share the server, so that it is the one who deals out the numbers.
  const program = `const client = await (await import('redis')).createClient({ url: process.argv[1] }).connect()
    const { databases } = await client.configGet('databases')
    console.log(databases, 1 + (await client.incr('siteprint:test:databases')) % (databases - 1))
    client.destroy()`
  const options = { cwd: projectFolder(), encoding: 'utf8', timeout: 10_000 } as const
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, url], options)
  const [, databases, database] = /^(\d+) (\w+)\n$/.exec(stdout) ?? []
  if (database === undefined) throw new Error(`Redis gave no database: ${stderr}`)
  if (Number(databases) < LEAST_DATABASES)
    throw new Error(`Redis has ${databases} databases: start it with --databases ${LEAST_DATABASES} or more`)
  const own = new URL(url)
  own.pathname = database
  return own.href
}

/** URL of the running MongoDB, each time with a database of another name; null where there is none, which stderr is told. */
export function mongoUrl(suite: string): string | null {
  const url = process.env.MONGODB_URL || servicesStatus().MONGODB_URL
  if (url === undefined) return without(suite, 'a running MongoDB')
  const database = `siteprint_test_${randomBytes(8).toString('hex')}`
  return url.replace(/^([^/]+\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`)
}

/** A Redis of its own, which keeps what was written when it is killed; null where there is none to start. */
export function startRedis(suite: string): Promise<OwnServer | null> {
  return startServer(suite, REDIS)
}

/** A MongoDB of its own; null where there is none to start. @param more arguments of the program */
export function startMongo(suite: string, more: readonly string[] = []): Promise<OwnServer | null> {
  return startServer(suite, { ...MONGODB, words: (port, data) => [...MONGODB.words(port, data), ...more] })
}

async function startServer(suite: string, kind: Kind): Promise<OwnServer | null> {
  const file = servicesStatus('--binaries')[kind.binary]
  if (file === undefined) return without(suite, kind.name)
  const port = await freePort()
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
    pause: () => hold(child),
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

async function runServer(file: string, kind: Kind, place: { port: number; data: string }): Promise<ChildProcess> {
  const { port, data } = place
  const log = join(data, 'log')
  const descriptor = openSync(log, 'a')
  const child = spawn(file, kind.words(port, data), { stdio: ['ignore', descriptor, 'ignore'] })
  closeSync(descriptor)
  const deadline = Date.now() + 30_000
  while (!(await answers(kind, port))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (hasEnded || Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${kind.name} did not start: ${readFileSync(log, 'utf8').slice(-2000)}`)
    }
    await sleep(20)
  }
  return child
}

function answers({ question, answer }: Kind, port: number): Promise<boolean> {
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

/** Below the ports of outgoing connections, so that nobody takes it while the server is down. */
async function freePort(): Promise<number> {
  const server = createServer()
  const listening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(randomInt(20_000, 32_000), '127.0.0.1', () => resolve(true))
  })
  if (!(await listening)) return freePort()
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function without(suite: string, what: string): null {
  const sentence = `${suite}: needs ${what}; run "tools/services.sh start"`
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(sentence)
  process.stderr.write(`SKIPPED ${sentence}\n`)
  return null
}

/** A signal takes effect a little later than it is sent: what is asked in between would be answered. */
function hold(child: ChildProcess): void {
  child.kill('SIGSTOP')
  const end = performance.now() + 1000
  while (performance.now() < end && !/^State:\s+T/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')));
}
