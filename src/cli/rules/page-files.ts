import type { NamedPage } from '../../authoring/compare-verdicts.ts'
import { SetupError } from '../../errors.ts'
import { UsageError } from '../command/command.ts'
import { readHar } from '../formats/har.ts'
import { readSavedPage } from '../formats/saved-page.ts'

/** Reads a file. Its libraries are imported on demand: no other verb needs those of WARC and gzip. */
type Reader = (file: string) => AsyncIterable<NamedPage>

/** Formats of files with pages, by the end of their names. */
const READERS: readonly (readonly [ending: RegExp, read: Reader])[] = [
  [/\.jsonl(?:\.gz)?$/i, readLines],
  [/\.warc(?:\.gz)?$/i, readRecords],
  [/\.har$/i, readOne(readHar)],
  [/\.html?$/i, readOne((html) => readSavedPage({ html }))],
]

/**
 * Reads the pages of a file, one at a time: JSON lines, WARC, HAR or HTML.
 * @throws UsageError for a name that ends differently; SetupError for a page that cannot be read
 */
export function readPageFile(file: string): AsyncIterable<NamedPage> {
  const reader = READERS.find(([ending]) => ending.test(file))?.[1]
  if (reader === undefined)
    throw new UsageError(`--pages: the name of "${file}" must end in .jsonl, .warc (both also .gz), .har or .html`)
  return reader(file)
}

async function* readLines(file: string): AsyncGenerator<NamedPage> {
  const { readBatchFile } = await import('../scan/batch-lines.ts')
  for await (const { id, input } of readBatchFile(file)) yield { name: id, input }
}

async function* readRecords(file: string): AsyncGenerator<NamedPage> {
  const { readWarc } = await import('../formats/warc.ts')
  for await (const record of readWarc(file)) {
    if ('error' in record) throw new SetupError(`${file}: ${record.id}: ${record.error}`)
    yield { name: record.id, input: record.page }
  }
}

function readOne(read: (file: string) => Promise<NamedPage['input']>): Reader {
  return async function* (file) {
    yield { name: file, input: await read(file) }
  }
}
