import { createReadStream, type ReadStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { CommandIo } from '../command/command.ts'

/** Whether the name of an input file means standard input. */
export const isStandardInput = (file: string): boolean => file === '-' || file === '/dev/stdin'

/** A list that can be read several times. */
export interface ListInput {
  /** Its name in messages. */
  readonly name: string
  /** Reads from the beginning. @param bytes number of bytes to read; all when absent */
  read(bytes?: number): ReadStream
  close(): Promise<void>
}

/**
 * Opens the file of `--urls`. Standard input (`-`, `/dev/stdin`) and pipes, such as `<(…)`, can be read only once, so they are
 * copied to a temporary file first.
 * @throws errors of the file system
 */
export async function openListInput(file: string, { stdin }: Pick<CommandIo, 'stdin'>): Promise<ListInput> {
  if (isStandardInput(file)) return wrapHandle('standard input', await copyToTemporary(stdin))
  const isRegular = (await stat(file)).isFile()
  return wrapHandle(file, isRegular ? await open(file) : await copyToTemporary(createReadStream(file)))
}

function wrapHandle(name: string, handle: FileHandle): ListInput {
  return {
    name,
    read: (bytes) =>
      handle.createReadStream({ start: 0, autoClose: false, ...(bytes !== undefined && { end: bytes - 1 }) }),
    close: () => handle.close(),
  }
}

/** Copies a stream to a file that is already deleted, so that nothing remains even if the process is killed. */
async function copyToTemporary(stream: Readable | undefined): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'siteprint-list-'))
  const handle = await open(join(folder, 'list'), 'wx+', 0o600).finally(() =>
    rm(folder, { recursive: true, force: true }),
  )
  for await (const chunk of stream ?? []) await handle.appendFile(chunk as Uint8Array)
  return handle
}
