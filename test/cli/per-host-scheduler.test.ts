import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type PauseAfter, type PerHostOptions, runPerHost } from '../../src/cli/scan/per-host-scheduler.ts'
import { countRuns } from '../support/property-runs.ts'
import { settle } from '../support/settle.ts'

interface Job {
  readonly host: string
  readonly n: number
}

/** Records when jobs begin, which of them end, and how many run at a time. */
class Log {
  readonly begun: (Job & { at: number })[] = []
  readonly ended = new Set<string>()
  most = 0
  #running = new Set<string>()

  run = async (job: Job): Promise<PauseAfter> => {
    expect(this.#running.has(job.host), `${job.host} runs twice`).toBe(false)
    this.#running.add(job.host)
    this.most = Math.max(this.most, this.#running.size)
    this.begun.push({ ...job, at: Date.now() })
    await new Promise((resolve) => setImmediate(resolve))
    this.#running.delete(job.host)
    this.ended.add(job.host)
    return 'pause'
  }
}

async function* createJobs(hosts: readonly string[]): AsyncGenerator<Job> {
  for (const [n, host] of hosts.entries()) yield { host, n }
}

function options(hosts: readonly string[], log: Log, more: Partial<PerHostOptions<Job>> = {}): PerHostOptions<Job> {
  const { signal } = new AbortController()
  const base = { jobs: createJobs(hosts), readHost: ({ host }: Job) => host, run: log.run }
  return { ...base, concurrency: 3, pauseMs: 0, signal, ...more }
}

describe('jobs of many hosts', () => {
  test('each run once, one per host, within the concurrency', { tags: ['property'] }, async () => {
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      async (hosts, concurrency) => {
        const log = new Log()
        await runPerHost(options(hosts, log, { concurrency }))
        expect(log.begun.map(({ n }) => n).sort((a, b) => a - b)).toEqual(hosts.map((_, n) => n))
        expect(log.most).toBeLessThanOrEqual(concurrency)
      },
    )
    await fc.assert(property, { numRuns: countRuns(100) })
  })

  test('of one host wait for the pause, and do not hold up others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: 0 })
    onTestFinished(() => void vi.useRealTimers())
    const log = new Log()
    await settle(runPerHost(options(['a', 'a', 'a', 'b', 'c'], log, { pauseMs: 1000 })))
    expect(log.begun.map(({ host, at }) => [host, at])).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['a', 1000],
      ['a', 2000],
    ])
  })

  test('that did not contact their host need no pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], now: 0 })
    onTestFinished(() => void vi.useRealTimers())
    const log = new Log()
    const run = async (job: Job): Promise<PauseAfter> => {
      await log.run(job)
      return job.n < 60 ? 'none' : 'pause'
    }
    await settle(runPerHost(options(Array(62).fill('a'), log, { pauseMs: 1000, run })))
    expect(log.begun.map(({ at }) => at)).toEqual([...Array(61).fill(0), 1000])
  })

  test('stop when the run is aborted: running jobs finish, no other job starts', async () => {
    const stop = new AbortController()
    const log = new Log()
    const run = async (job: Job): Promise<PauseAfter> => {
      stop.abort()
      return await log.run(job)
    }
    await runPerHost(options(['a', 'a', 'b', 'c', 'd'], log, { concurrency: 2, signal: stop.signal, run }))
    expect(log.begun.length).toBe(2)
    expect(log.ended.size).toBe(2)
  })

  test('fail with the first error, after running jobs have finished', async () => {
    const log = new Log()
    const run = async (job: Job): Promise<PauseAfter> => {
      if (job.host === 'b') throw new Error('disk full')
      return await log.run(job)
    }
    await expect(runPerHost(options(['a', 'b', 'c', 'd', 'e'], log, { run }))).rejects.toThrow('disk full')
    expect(log.ended.size).toBe(log.begun.length)
  })
})
