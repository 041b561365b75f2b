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
  /** Counts its messages. */
  readonly flag: Int32Array
}

/** Characters of a text. */
const TEXT_LENGTH = 64 * 1024
/** What the proof allows takes at most 20 ms on such a text, so a busy machine changes no verdict. */
const MAX_TEXT_MS = 1000
const MAX_START_MS = 20_000

/** Runs as text, so that it is the same from sources and from a build. It ends with the thread that started it. */
const WORKER = `
const { workerData: { port, flag, length } } = require('node:worker_threads')
const tell = (data) => {
  port.postMessage(data)
  Atomics.add(flag, 0, 1)
  Atomics.notify(flag, 0)
}
port.on('message', ({ pattern, flags, pumps }) => {
  const regex = new RegExp(pattern, flags)
  for (const { start, pump } of pumps) {
    const text = start + pump.repeat(Math.ceil((length - start.length) / pump.length)) + '\\u0001'
    regex.test(text)
    tell('text')
  }
  tell('done')
})
tell('ready')
`

/** Runs patterns on hostile texts in a thread of its own, and kills it when one takes too long. The caller is blocked meanwhile. */
export class PatternRunner {
  #thread: Thread | undefined

  /** @returns whether the pattern was fast enough on each text, in one of two runs */
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
      const message = this.#next(MAX_TEXT_MS)
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
    const workerData = { port: port2, flag, length: TEXT_LENGTH }
    const worker = new Worker(WORKER, { eval: true, workerData, transferList: [port2], execArgv: [], env: {} })
    port.unref()
    worker.unref()
    this.#thread = { worker, port, flag }
    if (this.#next(MAX_START_MS) === undefined) throw new Error('the thread that runs patterns did not start')
  }

  /** The next message of the thread; undefined when it sends none in time. */
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
