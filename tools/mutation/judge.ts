import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import type { LaneResult, LaneTask } from './lane.ts'
import { type Mutant, plantMutant } from './mutants.ts'

/** What happened to a mutant. */
export interface MutantVerdict {
  readonly mutant: Mutant
  /** The first test that failed, the reason for which the tests did not end, or null if all tests passed. */
  readonly caughtBy: string | null
}

/** Time limit of the start of a process, on a machine that does nothing else. */
const START_LIMIT_MS = 120_000

/** Why the tests of a mutant did not end. */
export const TIME_LIMIT = 'time limit'

interface Limits {
  /** Number of processes. */
  readonly lanes: number
  /** Time limit of the tests of one mutant, which can be endless. */
  readonly timeoutMs: number
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Runs the tests of each mutant in several processes, and yields the verdicts as they come. */
export async function* judgeMutants(
  root: string,
  tests: ReadonlyMap<Mutant, readonly string[]>,
  { lanes, timeoutMs, env }: Limits,
): AsyncGenerator<MutantVerdict> {
  const waiting = [...tests].filter(([, { length }]) => length > 0)
  for (const [mutant, { length }] of tests) if (length === 0) yield { mutant, caughtBy: null }
  const open = Array.from({ length: Math.min(lanes, waiting.length) }, () => new TestProcess(root, env))
  const next = (lane: TestProcess): Promise<{ lane: TestProcess; verdict: MutantVerdict }> | undefined => {
    const [mutant, files] = waiting.shift() ?? []
    if (mutant === undefined || files === undefined) return undefined
    return lane.judge(mutant, files, timeoutMs).then((caughtBy) => ({ lane, verdict: { mutant, caughtBy } }))
  }
  const stop = (): void => {
    for (const lane of open) lane.stop()
  }
  process.once('exit', stop)
  const running = new Map(open.map((lane) => [lane, next(lane)]))
  try {
    while (running.size > 0) {
      const { lane, verdict } = (await Promise.race([...running.values()])) ?? {}
      if (lane === undefined || verdict === undefined) return
      const more = next(lane)
      if (more) running.set(lane, more)
      else running.delete(lane)
      yield verdict
    }
  } finally {
    process.off('exit', stop)
    stop()
  }
}

/** A process that runs tests. It starts again after a run that did not end. */
class TestProcess {
  readonly #root: string
  readonly #env: Readonly<Record<string, string | undefined>>
  #process: ChildProcess | null = null

  constructor(root: string, env: Readonly<Record<string, string | undefined>>) {
    this.#root = root
    // What a mutant leaves behind is removed with the copy of the project.
    this.#env = { ...env, TMPDIR: join(root, '..') }
  }

  async judge(mutant: Mutant, tests: readonly string[], timeoutMs: number): Promise<string | null> {
    const lane = this.#process ?? (await this.#start())
    const source = plantMutant(readFileSync(join(this.#root, mutant.file), 'utf8'), mutant)
    lane.send({ file: mutant.file, source, tests } satisfies LaneTask)
    const result = await readNextMessage(lane, timeoutMs * measureLoad())
    if (typeof result !== 'string') return result.caughtBy
    this.stop()
    return result
  }

  async #start(): Promise<ChildProcess> {
    const lane = fork(new URL('lane.js', import.meta.url), [this.#root], {
      cwd: this.#root,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#process = lane
    const started = await readNextMessage(lane, START_LIMIT_MS * measureLoad())
    if (typeof started === 'string') throw new Error(`a process that runs tests did not start: ${started}`)
    return lane
  }

  stop(): void {
    const pid = this.#process?.pid
    this.#process = null
    if (pid === undefined) return
    try {
      // Workers are processes of their group, and an endless loop does not notice that the lane has ended.
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The process has ended.
    }
  }
}

/** How many processes share a core: so many times longer tests take than on a quiet machine. */
function measureLoad(): number {
  return Math.max(1, loadavg()[0] / availableParallelism())
}

/** Waits for the next message of a lane. @returns the message, or why there is none */
async function readNextMessage(lane: ChildProcess, timeoutMs: number): Promise<LaneResult | string> {
  const [done, limit] = [new AbortController(), AbortSignal.timeout(Math.ceil(timeoutMs))]
  const signal = AbortSignal.any([done.signal, limit])
  try {
    const [result] = await Promise.race([
      once(lane, 'message', { signal }),
      once(lane, 'exit', { signal }).then(() => ['end of the process'] as const),
    ])
    return result as LaneResult | string
  } catch (error) {
    if (limit.aborted) return TIME_LIMIT
    throw error
  } finally {
    done.abort()
  }
}
