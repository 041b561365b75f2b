import type { PageInput } from '../../index.ts'
import { formatProblem, parseLine, readBatchLines, readPageLine } from '../scan/batch-lines.ts'
import { readPageFile } from './page-files.ts'

/** A page of a file, or the result of a scan, which says where a page is and what it was made with. */
export interface GapPage {
  readonly name: string
  readonly input: PageInput | null
  readonly result: NamingResult | null
}

/** Fields of a result that `scan` writes. */
interface NamingResult {
  readonly url: string | null
  readonly builder: string | null
  readonly hosting: string | null
}

/** A page, or why a line is none. */
export type GapLine = GapPage | { readonly problem: string }

/**
 * Reads the pages of a file, one at a time: JSON Lines of pages or of results, WARC, HAR or HTML. Broken lines are reported, and
 * the others are read.
 * @throws UsageError for a name that ends differently; SetupError for a file that cannot be read
 */
export async function* readGapPages(file: string): AsyncGenerator<GapLine> {
  if (/\.(?:jsonl|ndjson)(?:\.gz)?$/i.test(file)) return yield* readLines(file)
  for await (const { name, input } of readPageFile(file)) yield { name, input, result: null }
}

async function* readLines(file: string): AsyncGenerator<GapLine> {
  for await (const { line } of readBatchLines(file))
    try {
      yield readLine(parseLine(line))
    } catch (error) {
      yield { problem: `${file}:${line.number}: ${formatProblem(error)}` }
    }
}

function readLine(line: Readonly<Record<string, unknown>>): GapPage {
  const { result } = line
  if (typeof result === 'object' && result !== null) {
    const { url, id } = line
    const fields = result as Readonly<Record<string, unknown>>
    const found = {
      url: readText(fields.url) ?? readText(url),
      builder: readText(fields.builder),
      hosting: readText(fields.hosting),
    }
    return { name: readText(id) ?? found.url ?? '', input: null, result: found }
  }
  const { id, input } = readPageLine(line)
  return { name: id, input, result: null }
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
