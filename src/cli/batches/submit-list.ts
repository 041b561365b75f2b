import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { SetupError } from '../../errors.ts'
import type { CommandIo } from '../command/command.ts'
import type { BatchClient } from './batch-client.ts'

interface SubmitOptions {
  /** The file of the list; `-` for standard input. */
  readonly file: string
  /** The column with the URLs, if the list is CSV. */
  readonly column?: string | undefined
  readonly include: readonly string[]
}

/** Submits a list as a batch. A request that is repeated after a lost answer finds the same batch. @returns its id */
export async function submitList(
  client: BatchClient,
  { file, column, include }: SubmitOptions,
  { stdin }: Pick<CommandIo, 'stdin'>,
): Promise<string> {
  const bytes = file === '-' ? await buffer(stdin ?? Readable.from([])) : await readFile(file)
  const query = new URLSearchParams({
    ...(column !== undefined && { column }),
    ...(include.length > 0 && { include: include.join(',') }),
  })
  const type = column === undefined ? 'text/plain' : 'text/csv'
  const headers = { 'content-type': type, 'idempotency-key': randomUUID() }
  return (await client.submit(decode(bytes), query, { headers })).id
}

/** Spreadsheets write UTF-16 with a byte order mark. @throws SetupError for another encoding */
function decode(bytes: Uint8Array): string {
  const mark = `${bytes[0]} ${bytes[1]}`
  const encoding = mark === '255 254' ? 'utf-16le' : mark === '254 255' ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new SetupError('the list is not in UTF-8: save it again as UTF-8')
  }
}
