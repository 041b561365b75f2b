import { open } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { writeText } from '../command/command.ts'
import type { RecordFormat } from './record-format.ts'
import type { ScanRecord } from './scan-record.ts'
import type { TableFormat } from './technology-table.ts'

/** The destination of lines. */
export interface Sink {
  write(text: string): Promise<void>
  close(): Promise<void>
}

/** Opens a file, to append to it or to overwrite it. @throws errors of the file system */
export async function openFile(file: string, flags: 'a' | 'w'): Promise<Sink> {
  const handle = await open(file, flags)
  return { write: (text) => handle.appendFile(text), close: () => handle.close() }
}

/** Writes to a stream that stays open. */
const writeTo = (stream: Writable): Sink => ({
  write: (text) => writeText(stream, text),
  close: async () => {},
})

/** An output and its format; the table of technologies is optional. */
export interface RecordSinks {
  readonly output: { readonly sink: Sink; readonly format: RecordFormat }
  readonly table: { readonly sink: Sink; readonly format: TableFormat } | null
}

/**
 * Writes records, one after the other. The rows of the table are written first: the line of the output then says that
 * the record is complete, so that a run that was killed between the two can be continued. After a failed write, all
 * later ones fail too, because their lines would follow a partial one.
 */
export class RecordWriter {
  readonly #sinks: RecordSinks
  #last: Promise<void> = Promise.resolve()

  constructor(sinks: RecordSinks) {
    this.#sinks = sinks
  }

  write(record: ScanRecord): Promise<void> {
    const written = this.#last.then(() => this.#write(record))
    this.#last = written
    return written
  }

  async #write(record: ScanRecord): Promise<void> {
    const { output, table } = this.#sinks
    const rows = table?.format.format(record) ?? ''
    if (rows !== '') await table?.sink.write(rows)
    await output.sink.write(output.format.format(record))
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {}) // `write` has already reported the error.
    await this.#sinks.output.sink.close()
    await this.#sinks.table?.sink.close()
  }
}

/** Opens files that are overwritten, or a stream for an output without a name. @throws errors of the file system */
export async function openWriter(
  { out, table: tableFile }: { readonly out: string | undefined; readonly table: string | undefined },
  formats: { readonly output: RecordFormat; readonly table: TableFormat | null },
  stdout: Writable,
): Promise<RecordWriter> {
  const output = { sink: out === undefined ? writeTo(stdout) : await openFile(out, 'w'), format: formats.output }
  await output.sink.write(formats.output.header)
  const { table: format } = formats
  if (tableFile === undefined || format === null) return new RecordWriter({ output, table: null })
  const sink = await openFile(tableFile, 'w').catch(async (error: unknown) => {
    await output.sink.close()
    throw error
  })
  await sink.write(format.header)
  return new RecordWriter({ output, table: { sink, format } })
}
