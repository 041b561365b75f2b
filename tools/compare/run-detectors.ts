import { median } from '../statistics/quantile.ts'
import {
  type Answer,
  type DetectorCommand,
  type DetectorInfo,
  DetectorProcess,
  type ProcessOptions,
} from './detector-process.ts'
import type { PageLine } from './read-pages.ts'

/** What a detector did in all rounds. */
export interface DetectorRun {
  readonly name: string
  readonly info: DetectorInfo
  /** The answers of the first round, by page. */
  readonly answers: readonly Answer[]
  /** Milliseconds by round and timed page. */
  readonly rounds: readonly (readonly number[])[]
  /** The same, with writing the line and reading the response. */
  readonly exchanges: readonly (readonly number[])[]
  /** Milliseconds from the start of the process to its first response: the median of the starts. */
  readonly startMs: number
  readonly memoryMiB: number | null
  /** Time with twice the rules divided by that with each rule once; null if the adapter cannot double its rules. */
  readonly twice: number | null
}

export interface RunOptions extends ProcessOptions {
  /** Rounds over the timed pages, after one over all pages. */
  readonly rounds: number
  readonly timedPages: number
  readonly starts: number
  readonly report: (text: string) => void
}

/**
 * Runs all detectors on all pages. They take turns on each page, in another order on each, so that what else the machine does affects
 * all of them equally.
 * @throws SetupError if a detector does not start
 */
export async function runDetectors(
  detectors: readonly DetectorCommand[],
  pages: readonly PageLine[],
  options: RunOptions,
): Promise<DetectorRun[]> {
  const starts = await measureStarts(detectors, options)
  const processes = detectors.map((detector) => new DetectorProcess(detector, options))
  try {
    for (const one of processes) await one.start()
    const first = await runRound(processes, pages, (done) => options.report(`page ${done} of ${pages.length}`))
    const timed = takeEvenly(pages, options.timedPages)
    const rounds: Answer[][][] = []
    for (let round = 0; round < options.rounds; round++) {
      options.report(`round ${round + 1} of ${options.rounds} on ${timed.length} pages`)
      rounds.push(await runRound(processes, timed))
    }
    const memory = processes.map((one) => one.readMemory())
    for (const one of processes) one.close()
    const runs: DetectorRun[] = []
    for (const [i, { detector, info }] of processes.entries())
      runs.push({
        name: detector.name,
        info,
        answers: first[i],
        rounds: rounds.map((round) => round[i].map(({ ms }) => ms)),
        exchanges: rounds.map((round) => round[i].map(({ exchangeMs }) => exchangeMs)),
        startMs: median(starts[i]),
        memoryMiB: memory[i],
        twice: info.canDouble ? await measureTwice(detector, timed, options) : null,
      })
    return runs
  } finally {
    for (const one of processes) one.close()
  }
}

async function measureStarts(detectors: readonly DetectorCommand[], options: RunOptions): Promise<number[][]> {
  const times: number[][] = detectors.map(() => [])
  for (let i = 0; i < options.starts; i++)
    for (const [at, detector] of detectors.entries()) {
      const one = new DetectorProcess(detector, options)
      times[at].push(await one.start())
      one.close()
    }
  return times
}

/** @returns the answers by process and page */
async function runRound(
  processes: readonly DetectorProcess[],
  pages: readonly PageLine[],
  report: (done: number) => void = () => {},
): Promise<Answer[][]> {
  const answers: Answer[][] = processes.map(() => [])
  for (const [i, page] of pages.entries()) {
    for (let turn = 0; turn < processes.length; turn++) {
      const at = (turn + i) % processes.length
      answers[at].push(await processes[at].ask(page.line))
    }
    if ((i + 1) % 50 === 0) report(i + 1)
  }
  return answers
}

async function measureTwice(
  detector: DetectorCommand,
  pages: readonly PageLine[],
  options: RunOptions,
): Promise<number> {
  options.report(`${detector.name} with twice the rules`)
  const doubled = { name: `${detector.name} with --twice`, command: `${detector.command} --twice` }
  const processes = [detector, doubled].map((one) => new DetectorProcess(one, options))
  try {
    for (const one of processes) await one.start()
    await runRound(processes, pages) // Warms up.
    const ratios: number[] = []
    for (let round = 0; round < options.rounds; round++) {
      const [once, twice] = (await runRound(processes, pages)).map((all) => sum(all.map(({ ms }) => ms)))
      ratios.push(twice / once)
    }
    return median(ratios)
  } finally {
    for (const one of processes) one.close()
  }
}

/** Takes pages at equal intervals. */
function takeEvenly(pages: readonly PageLine[], count: number): PageLine[] {
  const step = Math.max(1, pages.length / count)
  return Array.from({ length: Math.min(count, pages.length) }, (_, i) => pages[Math.floor(i * step)])
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
