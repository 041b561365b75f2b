import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { SetupError } from '../../errors.ts'
import { LineError, LineParser, type ParsedLine } from '../../report/parse-line.ts'
import type { ReportSource } from '../../report/report-data.ts'
import type { ReportSite } from '../../report/site.ts'
import { joinRows } from '../formats/csv.ts'
import { openUnzipped } from '../formats/gzip-members.ts'
import { type Line, readLines } from '../formats/lines.ts'
import { BrokenDataError } from '../formats/seek.ts'
import { parseSite } from '../scan/site-list.ts'
import { openRowReader, type RowReader } from './csv-results.ts'

/** Longer lines are skipped. The longest results, with all extras, are about 1 MB long. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
/** Bounds the memory: a site takes about 0.5 KB. */
const MAX_SITES = 1_000_000
/** Longer keys are replaced with their hash. */
const MAX_KEY_CHARACTERS = 300

/** Counter that numbers the sites that no line names. All files share it, so that sites of two files differ. */
let unnamedSites = 0

/** The sites of result files. */
export interface Results extends ReportSource {
  /** Key of a site → site. Every site that no line names has a key of its own. */
  readonly sites: ReadonlyMap<string, ReportSite>
  /** Lines that a later line of the same site replaced. */
  readonly repeated: number
  /** Lines that are not results: their number, and what is wrong with the first one; null for none. */
  readonly skipped: { readonly count: number; readonly first: string } | null
  /** Files whose last line is cut off, as after an interrupted run. */
  readonly cutOff: readonly string[]
  /** Versions of the rules, as far as lines have them. */
  readonly rulesets: ReadonlySet<string>
}

/**
 * Reads results of `scan`, JSON lines or CSV, also compressed (`.gz`), line by line. A site that several lines are about counts once, with its last line.
 * @throws SetupError for a file without any result, or too many sites; errors of the file system
 */
export async function readResults(files: readonly string[], aiNative: ReadonlySet<string>): Promise<Results> {
  const collector = new ResultCollector(aiNative)
  for (const file of files) await collector.readFile(file)
  return collector.finish(files)
}

/** A line or row, and how its text is read. */
interface ResultLine {
  readonly line: Line
  readonly parse: (text: string) => ParsedLine
}

class ResultCollector {
  readonly #parser: LineParser
  readonly #sites = new Map<string, ReportSite>()
  readonly #cutOff: string[] = []
  readonly #rulesets = new Set<string>()
  #repeated = 0
  #skipped: { readonly count: number; readonly first: string } | null = null
  #scanned: ReportSource['scanned'] = null

  constructor(aiNative: ReadonlySet<string>) {
    this.#parser = new LineParser(aiNative)
  }

  async readFile(file: string): Promise<void> {
    let hasResults = false
    let damage: string | null = null
    try {
      const lines = readLines(openUnzipped(file).bytes, MAX_LINE_BYTES)
      const parts = /\.csv(?:\.gz)?$/i.test(file) ? this.#readRows(joinRows(lines, file), file) : this.#readJson(lines)
      for await (const { line, parse } of parts) hasResults = this.#take(line, file, parse) || hasResults
    } catch (error) {
      if (!(error instanceof BrokenDataError)) throw error
      damage = error.message
      this.#cutOff.push(`${basename(file)}: ${error.message}`)
    }
    if (hasResults) return
    const why = damage ?? this.#skipped?.first ?? 'it has no complete line'
    throw new SetupError(
      `${file} contains no scan results (${why}): give the JSON Lines or the CSV that "scan --out" writes`,
    )
  }

  async *#readJson(lines: AsyncIterable<Line>): AsyncGenerator<ResultLine> {
    for await (const line of lines)
      if (line.text?.trim() !== '') yield { line, parse: (text) => this.#parser.parse(text) }
  }

  async *#readRows(rows: AsyncIterable<Line>, file: string): AsyncGenerator<ResultLine> {
    let read: RowReader | null = null
    for await (const line of rows) {
      if (line.text?.trim() === '') continue
      if (read === null) {
        read = openRowReader(line.text ?? '')
        if (read === null) throw new SetupError(`${file} does not have the columns that "scan --out" writes`)
        continue
      }
      const parse = (text: string): ParsedLine => {
        const fields = read?.(text)
        if (fields) return this.#parser.read(fields)
        throw new LineError('the row does not have the cells of the header')
      }
      yield { line, parse }
    }
  }

  finish(files: readonly string[]): Results {
    return {
      files: files.map((file) => basename(file)),
      scanned: this.#scanned,
      sites: this.#sites,
      repeated: this.#repeated,
      skipped: this.#skipped,
      cutOff: this.#cutOff,
      rulesets: this.#rulesets,
    }
  }

  /** @returns whether the line is a result */
  #take({ text, number, isWhole }: Line, file: string, parse: ResultLine['parse']): boolean {
    try {
      if (text === null) throw new LineError(`the line is longer than ${MAX_LINE_BYTES} bytes`)
      const { entry, site, scannedAt, ruleset } = parse(text)
      const key = entry === null ? `\0${unnamedSites++}` : findKey(entry)
      if (this.#sites.has(key)) this.#repeated++
      this.#sites.set(key, site)
      if (ruleset !== null) this.#rulesets.add(ruleset)
      if (scannedAt !== null) this.#scanned = widen(this.#scanned, scannedAt)
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      if (isWhole) this.#skip(`${basename(file)}:${number}: ${error.message}`)
      else this.#cutOff.push(`${basename(file)}:${number}: the last line is cut off`)
      return false
    }
    if (this.#sites.size > MAX_SITES)
      throw new SetupError(`there are more than ${MAX_SITES} sites: split the results into several files`)
    return true
  }

  #skip(problem: string): void {
    this.#skipped = { count: (this.#skipped?.count ?? 0) + 1, first: this.#skipped?.first ?? problem }
  }
}

/** `example.org` and `https://example.org/` are the same site, as in lists of sites. */
function findKey(entry: string): string {
  const key = entry.length <= MAX_KEY_CHARACTERS ? parseSite(entry).key : entry
  return key.length <= MAX_KEY_CHARACTERS ? key : `\0${createHash('sha256').update(key).digest('base64')}`
}

function widen(scanned: ReportSource['scanned'], time: string): NonNullable<ReportSource['scanned']> {
  if (scanned === null) return { from: time, to: time }
  return { from: time < scanned.from ? time : scanned.from, to: time > scanned.to ? time : scanned.to }
}
