import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { POOL_ARGS } from '../../async/pool-args.ts'
import { GapCounter, type PageMarks } from '../../authoring/gaps/gap-counter.ts'
import { type GapPage, readGapPages } from './gap-pages.ts'
import type { GapsTask } from './gaps-worker.ts'

/** Pages that one message to a worker contains. */
const BATCH = 16

/** The marks of all pages that were read. */
export interface CountedPages {
  readonly counter: GapCounter
  readonly pages: number
  /** Lines that are not pages, and why the first of them is none. */
  readonly problems: { readonly count: number; readonly first: string | null }
}

/**
 * Reads pages in workers, one per core, and counts their marks in the order of the files.
 * @param onPages receives the number of pages that have been read so far
 */
export async function countGaps(
  files: readonly string[],
  task: GapsTask,
  onPages: (pages: number) => void,
): Promise<CountedPages> {
  const threads = availableParallelism()
  // Threads start with the first batches, and end when they have none: one that ends while it loads the rules can crash the process.
  const workers = new Piscina<readonly GapPage[], PageMarks[]>({
    execArgv: POOL_ARGS,
    filename: fileURLToPath(new URL('gaps-worker.js', import.meta.url)),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: Number.POSITIVE_INFINITY,
    workerData: task,
    recordTiming: false,
  })
  const counter = new GapCounter()
  const running: { readonly file: string; readonly marks: Promise<PageMarks[]> }[] = []
  const problems: string[] = []
  let pages = 0
  let broken = 0
  /** Counts the oldest batches, until few enough are left to wait for. */
  const finish = async (atMost: number): Promise<void> => {
    while (running.length > atMost) {
      const [{ file, marks }] = running.splice(0, 1)
      for (const one of await marks) counter.add(one, file)
    }
  }
  try {
    for (const file of files)
      for await (const batch of readBatches(file, (problem) => broken++ === 0 && problems.push(problem))) {
        const marks = workers.run(batch)
        marks.catch(() => {}) // It is awaited in its turn.
        running.push({ file, marks })
        pages += batch.length
        onPages(pages)
        await finish(2 * threads)
      }
    await finish(0)
  } finally {
    await Promise.allSettled(running.map(({ marks }) => marks))
    await workers.close()
  }
  return { counter, pages, problems: { count: broken, first: problems[0] ?? null } }
}

async function* readBatches(file: string, onProblem: (problem: string) => void): AsyncGenerator<readonly GapPage[]> {
  let batch: GapPage[] = []
  for await (const read of readGapPages(file)) {
    if ('problem' in read) onProblem(read.problem)
    else batch.push(read)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
