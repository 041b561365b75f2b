import { createReadStream } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { loadConfig } from '../../config/config.ts'
import { SetupError } from '../../errors.ts'
import { findInvalidField } from '../../store/find-invalid-field.ts'
import { checkExportedPepper, openTransfer } from '../../store/open/open-transfer.ts'
import { type Row, type StoreTransfer, TABLES, type TableName } from '../../store/transfer.ts'
import { type CommandIo, EXIT } from '../command/command.ts'
import type { Given } from '../command/verbs.ts'

/** The first line of an exported file. */
const FORMAT = { format: 'siteprint export', version: 1 } as const
/** The last line contains the number of rows, so that a truncated file is noticed. */
interface End {
  readonly rows: number
}

/** Characters that are written to the file in one call. */
const CHUNK_CHARACTERS = 100_000

/** Rows that are written to the store in one call. */
const BATCH_ROWS = 500

/** The verb `export`: writes all durable data of the store to a new file, one JSON object per line. */
export function exportStore({ args: [file] }: Given, io: CommandIo): () => Promise<number> {
  return async () => {
    const store = await openTransfer(loadConfig(io.env), { mayCreate: false })
    try {
      const problem = await store.findExportProblem()
      if (problem !== null) throw new SetupError(problem)
      const path = resolve(file)
      const output = await createExportFile(path)
      try {
        const rows = await writeFile(output, store)
        io.stderr.write(`Exported ${rows} rows to ${path}. The file contains personal data: keep it safe.\n`)
      } catch (error) {
        await rm(path, { force: true })
        throw error
      } finally {
        await output.close()
      }
      return EXIT.ok
    } finally {
      await store.close()
    }
  }
}

/** Creates a file that only its owner can read. */
async function createExportFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SetupError(
      code === 'EEXIST' ? `${path} already exists: choose another file` : `${path} cannot be created (${code})`,
    )
  }
}

async function writeFile(output: FileHandle, store: StoreTransfer): Promise<number> {
  let rows = 0
  let text = `${JSON.stringify(FORMAT)}\n`
  for (const table of TABLES)
    for await (const row of store.read(table)) {
      text += `${JSON.stringify({ table, row })}\n`
      rows++
      if (text.length < CHUNK_CHARACTERS) continue
      await output.write(text)
      text = ''
    }
  await output.write(`${text}${JSON.stringify({ rows } satisfies End)}\n`)
  await output.sync()
  return rows
}

/** The verb `import`: reads an exported file into a store that has no accounts, keys and usage. */
export function importStore({ args: [file] }: Given, io: CommandIo): () => Promise<number> {
  return async () => {
    const config = loadConfig(io.env)
    const path = resolve(file)
    // Read twice, so that nothing is written unless the whole file is valid.
    const values: Row[] = []
    for await (const { table, row } of readExport(path)) if (table === 'values') values.push(row)
    checkExportedPepper(config, values)
    const store = await openTransfer(config, { mayCreate: true })
    try {
      if (!(await store.isEmpty()))
        throw new SetupError(
          'the store already contains accounts, keys or usage: import into a new DATA_DIR or database',
        )
      const rows = await writeStore(store, path)
      io.stderr.write(`Imported ${rows} rows from ${path}.\n`)
      return EXIT.ok
    } finally {
      await store.close()
    }
  }
}

async function writeStore(store: StoreTransfer, path: string): Promise<number> {
  let count = 0
  let batch: { table: TableName; rows: Row[] } = { table: TABLES[0], rows: [] }
  const flush = async (next: TableName): Promise<void> => {
    if (batch.rows.length > 0) await store.write(batch.table, batch.rows)
    count += batch.rows.length
    batch = { table: next, rows: [] }
  }
  try {
    for await (const { table, row } of readExport(path)) {
      if (table !== batch.table || batch.rows.length >= BATCH_ROWS) await flush(table)
      batch.rows.push(row)
    }
    await flush(TABLES[0])
    return count
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SetupError(`The import failed (${why}). The store is incomplete: delete it, then import again.`)
  }
}

/** Reads the rows of an exported file. @throws SetupError if it is not such a file, or is incomplete */
async function* readExport(path: string): AsyncGenerator<{ readonly table: TableName; readonly row: Row }> {
  let line = 0
  let rows = 0
  let isComplete = false
  for await (const text of createInterface({ input: await openExport(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++
    const data = parseLine(text)
    if (line === 1) {
      if (data?.format !== FORMAT.format || data.version !== FORMAT.version)
        throw new SetupError(`${path} was not written by "service export" of this version`)
    } else if (isComplete || data === null) throw new SetupError(`${path}:${line}: this line is not part of an export`)
    else if (isRow(data)) {
      const field = findInvalidField(data.table, data.row)
      if (field !== null)
        throw new SetupError(`${path}:${line}: "${field}" of this row of "${data.table}" is not valid: export again`)
      rows++
      yield data
    } else if (data.rows === rows) isComplete = true
    else throw new SetupError(`${path}:${line}: this line is not part of an export`)
  }
  if (!isComplete) throw new SetupError(`${path} is incomplete: export again`)
}

async function openExport(path: string): Promise<NodeJS.ReadableStream> {
  try {
    const file = await open(path)
    await file.close()
    return createReadStream(path, 'utf8')
  } catch (error) {
    throw new SetupError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function parseLine(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const data: unknown = JSON.parse(text)
    return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : null
  } catch {
    return null
  }
}

function isRow(data: object): data is { readonly table: TableName; readonly row: Row } {
  const { table, row } = data as { readonly table?: unknown; readonly row?: unknown }
  return TABLES.some((name) => name === table) && typeof row === 'object' && row !== null
}
