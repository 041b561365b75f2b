import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MongoClient, MongoServerError } from 'mongodb'
import { projectFolder } from '../../../src/rules/built.ts'
import { findFreePort } from '../../browser/free-port.ts'

/** Time for a process to accept connections. */
const START_MS = 120_000
const REPLICA_SET = 'bench'

/** A process that can be killed like in a crash, and started again. */
export class KillableProcess {
  readonly #start: () => ChildProcess
  readonly #isReady: () => Promise<boolean>
  #child: ChildProcess | undefined

  constructor(start: () => ChildProcess, isReady: () => Promise<boolean>) {
    this.#start = start
    this.#isReady = isReady
  }

  /** The process id; undefined before the start. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** @throws Error if the process ends, or does not become ready */
  async start(): Promise<void> {
    const child = this.#start()
    this.#child = child
    const end = performance.now() + START_MS
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || performance.now() > end)
        throw new Error(`not started: ${child.spawnargs.join(' ')}`)
      await sleep(100)
    }
  }

  /** Stops the process in its place with SIGSTOP, or lets it go on with SIGCONT. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name)
  }

  /** Ends the process with a signal, and waits until it has ended. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'close')
  }
}

/** The user and system time of a process in seconds, from /proc: its 14th and 15th field, in hundredths. Linux only. */
export function readCpuSeconds({ pid }: KillableProcess): number {
  // The second field, the name in brackets, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A process of this project: a server or a worker. */
export function openNode(module: string, env: NodeJS.ProcessEnv, isReady: () => Promise<boolean>): KillableProcess {
  const start = join(projectFolder(), 'tools', 'start.mjs')
  return new KillableProcess(
    () => spawn(process.execPath, [start, module], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
    isReady,
  )
}

/** The installed programs. @throws Error if one is missing */
export function findBinaries(): { readonly redis: string; readonly mongod: string } {
  const script = join(projectFolder(), 'tools', 'services.sh')
  const text = execFileSync(script, ['status', '--binaries'], { encoding: 'utf8' })
  const [redis, mongod] = ['REDIS_SERVER', 'MONGOD'].map((name) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1])
  if (redis === undefined || mongod === undefined)
    throw new Error('Redis or MongoDB is not installed. Run: tools/services.sh install')
  return { redis, mongod }
}

/** A Redis without a file: what it contains is lost when it is killed. */
export async function openRedis(binary: string): Promise<KillableProcess & { readonly url: string }> {
  const port = await findFreePort()
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const part = new KillableProcess(
    () => spawn(binary, args, { stdio: 'ignore' }),
    () => accepts(port),
  )
  return Object.assign(part, { url: `redis://127.0.0.1:${port}` })
}

/** A replica set of one member, so that it can be without a primary. */
export async function openMongo(
  binary: string,
  folder: string,
): Promise<KillableProcess & { readonly url: string; readonly stepDown: (seconds: number) => Promise<void> }> {
  const port = await findFreePort()
  const data = join(folder, 'mongo')
  mkdirSync(data, { recursive: true })
  const args = ['--port', `${port}`, '--bind_ip', '127.0.0.1', '--dbpath', data, '--replSet', REPLICA_SET]
  const limits = ['--nounixsocket', '--wiredTigerCacheSizeGB', '0.25']
  const part = new KillableProcess(
    () => spawn(binary, [...args, ...limits], { stdio: 'ignore' }),
    () => accepts(port),
  )
  const host = `127.0.0.1:${port}`
  return Object.assign(part, {
    url: `mongodb://${host}/siteprint?replicaSet=${REPLICA_SET}`,
    start: async () => {
      await KillableProcess.prototype.start.call(part)
      await initiate(host)
    },
    stepDown: (seconds: number) => runAdmin(host, { replSetStepDown: seconds, force: true }),
  })
}

async function initiate(host: string): Promise<void> {
  const config = { _id: REPLICA_SET, members: [{ _id: 0, host }] }
  await runAdmin(host, { replSetInitiate: config }).catch((error: unknown) => {
    if (!(error instanceof MongoServerError) || error.codeName !== 'AlreadyInitialized') throw error
  })
}

async function runAdmin(host: string, command: object): Promise<void> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`)
  try {
    await client.db('admin').command({ ...command })
  } finally {
    await client.close()
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}
