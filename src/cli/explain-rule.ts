import { Worker } from 'node:worker_threads'
import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { PageLimitError } from '../errors.ts'
import type { LoadOptions } from '../index.ts'
import { formatHint } from '../yaml/hint.ts'
import { type CommandIo, EXIT, UsageError } from './command.ts'
import type { Explanation } from './explain-page.ts'
import type { ExplainTask } from './explain-worker.ts'
import { readSavedPage, type SavedPage } from './formats/saved-page.ts'

interface ExplainOptions extends SavedPage, LoadOptions {
  /** Time limit for the page, once the rules are loaded. */
  readonly timeoutMs: number
}

/** Prints clause by clause why the rules of a slug do or do not fire on a page. @returns the exit code */
export async function explainRule(
  { rules }: Ruleset,
  slug: string,
  { html, url, headers, timeoutMs, ...options }: ExplainOptions,
  { stdout, stderr }: CommandIo,
): Promise<number> {
  const known = rules.map((rule) => rule.slug)
  if (!known.includes(slug)) throw new UsageError(`there is no rule "${slug}"${formatHint(slug, known)}`)
  const input = await readSavedPage({ html, url, headers })
  const { text, warnings } = await explainInWorker({ ...options, slug, input }, timeoutMs)
  for (const warning of warnings) stderr.write(`${warning}\n`)
  stdout.write(text)
  return EXIT.ok
}

/** @throws PageLimitError when the page takes too long; any error of the worker */
function explainInWorker(task: ExplainTask, timeoutMs: number): Promise<Explanation> {
  const worker = new Worker(new URL('explain-worker.js', import.meta.url), { workerData: task })
  let timer: NodeJS.Timeout | undefined
  const explained = new Promise<Explanation>((resolve, reject) => {
    worker.on('message', (message: Explanation | 'ready') => {
      if (message !== 'ready') resolve(message)
      else timer = setTimeout(() => reject(new PageLimitError(timeoutMs)), timeoutMs)
    })
    worker.on('error', reject)
    worker.on('exit', (code) => reject(new Error(`the worker exited with code ${code} before it was done`)))
  })
  return explained.finally(() => {
    clearTimeout(timer)
    return worker.terminate()
  })
}
