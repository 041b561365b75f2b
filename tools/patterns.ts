import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { check } from 'recheck'
import { projectFolder } from '../src/rules/built.ts'
import { findPatterns, type SourcePattern } from './patterns/find-patterns.ts'
import type { PumpText } from './patterns/pump-texts.ts'
import type { PumpTask, SuperLinear } from './patterns/pump-worker.ts'

/** Time limit for all texts of one pattern. A pattern that exceeds it is not linear, whatever its growth. */
const MAX_PATTERN_MS = 30_000

/**
 * Time limit for the analysis of one pattern by recheck, in milliseconds. Of 615 patterns, 80 need longer, half of which it cannot decide
 * in four times the time; the pumped texts are tried on all.
 */
const RECHECK_MS = 500

const require = createRequire(import.meta.url)

/** Runs every regular expression of `src/` and `plugins/` on pumped texts in a worker, which can be stopped. */
async function main(): Promise<number> {
  const { known: all } = findPatterns(projectFolder(), ['src', 'plugins'])
  const known = [...new Map(all.map((found) => [`${found.pattern}/${found.flags}`, found])).values()]
  const worker = new Worker(new URL('./patterns/pump-worker.js', import.meta.url))
  const problems: string[] = []
  for (const found of known) {
    const problem = await tryPattern(worker, found)
    if (problem !== null) problems.push(problem)
    if (problem?.endsWith(STOPPED)) break // The worker can no longer respond.
  }
  await worker.terminate()
  for (const problem of problems) console.error(problem)
  console.log(`${known.length} regular expressions on pumped texts: ${problems.length} super-linear`)
  return problems.length === 0 ? 0 : 1
}

const STOPPED = `stopped after ${MAX_PATTERN_MS / 1000} s`

async function tryPattern(worker: Worker, { place, pattern, flags }: SourcePattern): Promise<string | null> {
  const task: PumpTask = { pattern, flags, more: findAttackTexts(pattern, flags) }
  const result = await new Promise<SuperLinear | null | undefined>((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), MAX_PATTERN_MS)
    worker.once('error', reject)
    worker.once('message', (message) => {
      worker.removeListener('error', reject)
      clearTimeout(timer)
      resolve(message)
    })
    worker.postMessage(task)
  })
  if (result === null) return null
  const name = `${place}: /${pattern}/${flags}`
  if (result === undefined) return `${name}: ${STOPPED}`
  const { text, length, ms, msBefore } = result
  const shown = [text.head, text.pump, text.tail].map((part) => JSON.stringify(part.slice(0, 40)))
  const times = `${ms.toFixed(1)} ms at ${length} characters, at most ${msBefore.toFixed(1)} ms at an eighth`
  return `${name}: ${times}, on ${shown[0]} + ${shown[1]} × n + ${shown[2]}`
}

/** Finds the attack strings of recheck for a pattern. */
function findAttackTexts(pattern: string, flags: string): PumpText[] {
  // This build of recheck is pure JavaScript, without Java and without a worker.
  const { checkSync } = require('recheck/lib/browser.js') as typeof import('recheck')
  const verdict: Awaited<ReturnType<typeof check>> = checkSync(pattern, flags, { timeout: RECHECK_MS })
  if (verdict.status !== 'vulnerable') return []
  const { pumps, suffix } = verdict.attack
  return pumps.map(({ prefix, pump }) => ({ head: prefix, pump, tail: suffix }))
}

process.exitCode = await main()
