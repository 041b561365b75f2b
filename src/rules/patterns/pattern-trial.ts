import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { Pump } from './pattern-pumps.ts'

/** A pattern with the texts to run it on. */
export interface Trial {
  readonly pattern: string
  readonly flags: string
  readonly pumps: readonly Pump[]
}

interface Thread {
  readonly worker: Worker
  readonly port: MessagePort
  /** Counter of its messages. */
  readonly flag: Int32Array
}

/** The length of the texts, and the time that a pattern may take. */
interface TrialLimits {
  /** Length of a text in characters. */
  readonly textLength: number
  /** Time for one text, in milliseconds. */
  readonly maxTextMs: number
}

/** Patterns that pass the proof take at most 20 ms on such a text, so a busy machine does not change the verdict. */
const LIMITS: TrialLimits = { textLength: 64 * 1024, maxTextMs: 1000 }
const MAX_START_MS = 20_000

/** Code of the worker, as text so that it is the same from the sources and from a build. The worker ends with the thread that started it. */
const WORKER = `
const { workerData: { port, flag, length } } = require('node:worker_threads')
const send = (data) => {
  port.postMessage(data)
  Atomics.add(flag, 0, 1)
  Atomics.notify(flag, 0)
}
port.on('message', ({ pattern, flags, pumps }) => {
  const regex = new RegExp(pattern, flags)
  for (const { start, pump } of pumps) {
    const text = start + pump.repeat(Math.ceil((length - start.length) / pump.length)) + '\\u0001'
    regex.test(text)
    send('text')
  }
  send('done')
})
send('ready')
`

/** Runs patterns on hostile texts in a separate thread, and kills that thread if a pattern takes too long. Blocks the caller. */
export class PatternRunner {
  readonly #limits: TrialLimits
  #thread: Thread | undefined

  constructor(limits = LIMITS) {
    this.#limits = limits
  }

  /** @returns whether the pattern was fast enough on every text in at least one of two runs */
  isFast(trial: Trial): boolean {
    return this.#run(trial) || this.#run(trial)
  }

  /** Ends the thread. */
  close(): void {
    void this.#thread?.worker.terminate()
    this.#thread = undefined
  }

  #run(trial: Trial): boolean {
    this.#start()
    this.#thread?.port.postMessage(trial)
    for (;;) {
      const message = this.#next(this.#limits.maxTextMs)
      if (message === 'done') return true
      if (message !== undefined) continue
      this.close()
      return false
    }
  }

  #start(): void {
    if (this.#thread) return
    const { port1: port, port2 } = new MessageChannel()
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const workerData = { port: port2, flag, length: this.#limits.textLength }
    const worker = new Worker(WORKER, { eval: true, workerData, transferList: [port2], execArgv: [], env: {} })
    port.unref()
    worker.unref()
    this.#thread = { worker, port, flag }
    if (this.#next(MAX_START_MS) === undefined) throw new Error('the thread that runs patterns did not start')
  }

  /** Waits for the next message of the thread; undefined if none arrives in time. */
  #next(ms: number): unknown {
    const { port, flag } = this.#thread as Thread
    const end = performance.now() + ms
    for (;;) {
      const seen = Atomics.load(flag, 0)
      const received = receiveMessageOnPort(port)
      if (received) return received.message
      const left = end - performance.now()
      if (left <= 0) return undefined
      Atomics.wait(flag, 0, seen, left)
    }
  }
}
