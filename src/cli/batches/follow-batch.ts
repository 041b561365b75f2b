import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { findNextQuery } from '../../mcp/next-part.ts'
import type { BatchInfo } from '../../service/response-schemas.ts'
import { type CommandIo, EXIT, nameProgram } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { createProgressBar } from '../command/progress-bar.ts'
import { isCsvName } from '../formats/record-format.ts'
import type { BatchClient } from './batch-client.ts'

/** Pause before results are read that were not there yet, in milliseconds. */
const POLL_MS = 1000
/** Exit code after Ctrl-C. */
const STOPPED = 130

interface FollowOptions {
  readonly id: string
  /** JSON lines or CSV by its name; standard output if absent. */
  readonly out?: string | undefined
}

/** Writes the results of a batch as they complete, until it ends. Ctrl-C detaches: the batch goes on. @returns the exit code */
export async function followBatch(client: BatchClient, options: FollowOptions, io: CommandIo): Promise<number> {
  const detached = new AbortController()
  const detach = (): void => detached.abort()
  process.once('SIGINT', detach)
  try {
    const batch = await copyResults(client, options, io, detached.signal)
    io.stderr.write(`${describeBatch(batch)}\n`)
    return batch.counts.failed > 0 || batch.status === 'cancelled' ? EXIT.findings : EXIT.ok
  } catch (error) {
    if (!detached.signal.aborted) throw error
    const text = `Detached from the batch, which goes on: npm run -s scan -- --attach ${options.id}\n`
    io.stderr.write(nameProgram(text, io.program))
    return STOPPED
  } finally {
    process.removeListener('SIGINT', detach)
  }
}

/** Describes a batch in one line. */
export function describeBatch({ id, status, reason, total, counts }: BatchInfo): string {
  const state = reason === null ? status : `${status} (${reason})`
  return `${id}: ${state}, ${formatCount(total, 'URL')}, ${counts.succeeded} succeeded, ${counts.failed} failed, ${counts.waiting} waiting`
}

async function copyResults(
  client: BatchClient,
  { id, out }: FollowOptions,
  io: CommandIo,
  signal: AbortSignal,
): Promise<BatchInfo> {
  let batch = await client.get(id, signal)
  const file = out === undefined ? null : await open(out, 'w')
  const bar = createProgressBar(io, '{status}, {failed} failed')
  if (io.stderr.isTTY) bar.start(batch.total, 0, { status: batch.status, failed: 0 })
  try {
    let query = out !== undefined && isCsvName(out) ? '?format=csv' : ''
    for (;;) {
      const response = await client.request(`/${encodeURIComponent(id)}/results${query}`, { signal })
      const text = await response.text()
      if (file !== null) await file.appendFile(text)
      else if (!io.stdout.write(text)) await once(io.stdout, 'drain', { signal })
      const next = findNextQuery(response.headers.get('link'))
      batch = await client.get(id, signal)
      const { succeeded, failed } = batch.counts
      bar.update(succeeded + failed, { status: batch.status, failed })
      if (next === null) return batch
      if (text === '') await sleep(POLL_MS, undefined, { signal })
      query = next
    }
  } finally {
    bar.stop()
    await file?.close()
  }
}
