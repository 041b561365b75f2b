import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { SetupError } from '../../src/errors.ts'
import { readMemoryPeak } from './process-memory.ts'

/** A detector: its name in the comparison, and the command line of its adapter. */
export interface DetectorCommand {
  readonly name: string
  readonly command: string
}

/** What an adapter may say about its detector in its first line. */
export interface DetectorInfo {
  readonly version: string | null
  readonly rules: number | null
  /** Whether the adapter takes `--twice`, with which each rule is loaded once more under another name. */
  readonly canDouble: boolean
}

/** The response to one page. */
export interface Answer {
  readonly names: readonly string[]
  readonly versions: Readonly<Record<string, string>>
  /** Milliseconds of the detector, as the adapter measured them, or of the whole exchange if it did not. */
  readonly ms: number
  /** Milliseconds from writing the line to reading the response. */
  readonly exchangeMs: number
  /** Why there is no result; null if there is one. */
  readonly failure: string | null
}

export interface ProcessOptions {
  /** The core on which the detector runs; null if cores cannot be chosen. */
  readonly core: number | null
  /** Milliseconds for one page, and for a start. */
  readonly timeoutMs: number
}

/** A line of standard output, or null at its end. */
type Receive = (line: string | null) => void

const MAX_ERROR_CHARACTERS = 600
const EMPTY_PAGE = {
  id: 'start',
  url: 'https://start.example/',
  status: 200,
  headers: [],
  html: '<title>Start</title>',
}
const NO_INFO: DetectorInfo = { version: null, rules: null, canDouble: false }

/** The process of an adapter. It responds to one page at a time, and is started again after a failure. */
export class DetectorProcess {
  info: DetectorInfo = NO_INFO
  private child: ChildProcess | null = null
  private receive: Receive = () => {}
  private errors = ''
  private peak = 0
  readonly detector: DetectorCommand
  private readonly options: ProcessOptions

  constructor(detector: DetectorCommand, options: ProcessOptions) {
    this.detector = detector
    this.options = options
  }

  /**
   * Starts the process and gives it an empty page.
   * @returns milliseconds until the response
   * @throws SetupError if there is none
   */
  async start(): Promise<number> {
    const started = performance.now()
    this.spawn()
    const { failure } = await this.exchange(EMPTY_PAGE)
    if (failure === null) return performance.now() - started
    this.kill()
    throw new SetupError(`the detector ${this.detector.name} does not start: ${failure}`)
  }

  /** Gives a page to the detector. A failure is part of the answer. @param line a line of a batch, with its id */
  async ask(line: { readonly id: string }): Promise<Answer> {
    if (this.child === null) await this.start()
    const answer = await this.exchange(line)
    if (answer.failure !== null) this.kill()
    return answer
  }

  /** MiB of memory that the process and its children have used at most; null where the system does not say. */
  readMemory(): number | null {
    if (this.child?.pid !== undefined) this.peak = Math.max(this.peak, readMemoryPeak(this.child.pid))
    return this.peak === 0 ? null : this.peak
  }

  close(): void {
    this.kill()
  }

  private spawn(): void {
    const shell = ['sh', '-c', `exec ${this.detector.command}`]
    const [program, ...args] = this.options.core === null ? shell : ['taskset', '-c', `${this.options.core}`, ...shell]
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    this.child = child
    this.errors = ''
    child.on('error', (error) => {
      this.errors = error.message
    })
    child.stdin.on('error', () => {}) // The end of the process reports it.
    child.stderr.on('data', (chunk: Buffer) => {
      this.errors = (this.errors + chunk.toString()).slice(-MAX_ERROR_CHARACTERS)
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (this.child === child) this.receive(line)
    })
    child.on('close', () => {
      if (this.child === child) this.receive(null)
    })
  }

  private kill(): void {
    this.readMemory()
    const pid = this.child?.pid
    this.child = null
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL') // The group of the process: adapters may start others.
    } catch {
      // It has ended already.
    }
  }

  private async exchange(page: { readonly id: string }): Promise<Answer> {
    const started = performance.now()
    const read = await new Promise<string | Omit<Answer, 'exchangeMs'>>((resolve) => {
      const { timeoutMs } = this.options
      const timer = setTimeout(() => resolve(`no response within ${timeoutMs / 1000} s`), timeoutMs)
      this.receive = (line) => {
        const result =
          line === null
            ? `the process has ended: ${this.errors.trim() || 'it wrote no message'}`
            : this.readLine(line, page.id)
        if (result === null) return
        clearTimeout(timer)
        resolve(result)
      }
      this.child?.stdin?.write(`${JSON.stringify(page)}\n`)
    })
    const exchangeMs = performance.now() - started
    if (typeof read === 'string') return { names: [], versions: {}, ms: exchangeMs, exchangeMs, failure: read }
    return { ...read, ms: Number.isNaN(read.ms) ? exchangeMs : read.ms, exchangeMs }
  }

  /** @returns the answer, what is wrong with it, or null for a line about the detector */
  private readLine(text: string, id: string): Omit<Answer, 'exchangeMs'> | string | null {
    const line = parseObject(text)
    if (line === null) return `a line of its output is not a JSON object: ${text.slice(0, 100)}`
    if (line.id === undefined) {
      this.info = readInfo(line)
      return null
    }
    return line.id === id ? readAnswer(line) : `a response has the id ${JSON.stringify(line.id)} instead of "${id}"`
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

function readInfo({ version, rules, canDouble }: Readonly<Record<string, unknown>>): DetectorInfo {
  return {
    version: typeof version === 'string' ? version : null,
    rules: typeof rules === 'number' ? rules : null,
    canDouble: canDouble === true,
  }
}

/** @returns the answer without the time of the exchange; `ms` is NaN if the adapter did not measure */
function readAnswer(line: Readonly<Record<string, unknown>>): Omit<Answer, 'exchangeMs'> | string {
  const { names, versions = {}, ms = Number.NaN, error } = line
  if (typeof error === 'string') return error
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    return 'names must be a list of strings'
  if (typeof versions !== 'object' || versions === null) return 'versions must be an object: name to version'
  if (typeof ms !== 'number' || ms < 0) return 'ms must be a number of milliseconds'
  const given = Object.entries(versions).filter(([, version]) => typeof version === 'string' && version !== '')
  return { names: [...new Set(names)], versions: Object.fromEntries(given), ms, failure: null }
}
