import { createReadStream, existsSync } from 'node:fs'
import { appendFile, truncate, writeFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { SetupError } from '../../errors.ts'
import type { LiveResult } from '../../scan/scanner.ts'
import { readLines } from './lines.ts'

/** One line of a bulk run. */
export type Answer =
  | { readonly url: string; readonly result: LiveResult }
  | { readonly url: string; readonly error: string; readonly code: string }

const FIELDS =
  'url finalUrl builder builderSlug confidence category isAiNative technologies hosting siteType error code'.split(' ')
const HEADER = stringify([FIELDS])
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Where the answers of a bulk run go: a file of JSONL or CSV, by its name, or standard output. */
export interface Answers {
  /** URLs that the file has an answer of already. */
  readonly done: ReadonlySet<string>
  /** Every answer is written at once, whole. */
  write(answer: Answer): Promise<void>
}

/** Opens a file of answers: anew, or to go on with it. */
export async function openAnswers(file: string | undefined, resume: boolean): Promise<Answers> {
  const isCsv = file !== undefined && /\.csv$/i.test(file)
  const format = isCsv ? toCsv : (answer: Answer): string => `${JSON.stringify(answer)}\n`
  if (file === undefined) return { done: new Set(), write: async (answer) => writeOut(format(answer)) }
  let last: Promise<unknown> = Promise.resolve()
  const write = (answer: Answer): Promise<void> => {
    const written = last.then(() => appendFile(file, format(answer)))
    last = written.catch(() => {})
    return written
  }
  const { done, isEmpty } =
    resume && existsSync(file) ? await readDone(file, isCsv) : { done: new Set<string>(), isEmpty: true }
  if (isEmpty) await writeFile(file, isCsv ? HEADER : '')
  return { done, write }
}

async function writeOut(line: string): Promise<void> {
  if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve))
}

/**
 * A run that was cut off may have left half a line: it is taken away, and its URL scanned again.
 * @throws SetupError when the file is none that a run has written: it stays as it is
 */
async function readDone(file: string, isCsv: boolean): Promise<{ done: Set<string>; isEmpty: boolean }> {
  const done = new Set<string>()
  let whole = 0
  for await (const { text, bytes, isWhole, number } of readLines(createReadStream(file), MAX_LINE_BYTES)) {
    const isOurs = number > 1 || text === null || isFirst(text, { isCsv, isWhole })
    if (!isOurs) throw new SetupError(`${file} was not written by such a run: --resume goes on with none but its own`)
    if (!isWhole) break
    whole += bytes
    const url = text === null || (isCsv && number === 1) ? undefined : urlOf(text, isCsv)
    if (url !== undefined) done.add(url)
  }
  await truncate(file, whole)
  return { done, isEmpty: whole === 0 }
}

/** Whether a file of ours may begin so. */
function isFirst(line: string, { isCsv, isWhole }: { isCsv: boolean; isWhole: boolean }): boolean {
  const begin = isCsv ? HEADER.trimEnd() : '{"url":'
  if (!isWhole) return isCsv ? begin.startsWith(line) : begin.startsWith(line) || line.startsWith(begin)
  return isCsv ? line === begin : urlOf(line, false) !== undefined
}

function urlOf(line: string, isCsv: boolean): string | undefined {
  try {
    if (!isCsv) return (JSON.parse(line) as { url?: string }).url
    return (parse(line) as string[][])[0]?.[0].replace(/^'(?=[=+\-@\t\r])/, '')
  } catch {
    return undefined
  }
}

/** Values that a spreadsheet would take for a formula are marked as text. */
function toCsv(answer: Answer): string {
  const {
    url: finalUrl = '',
    technologies = [],
    ...rest
  }: Partial<LiveResult> = 'result' in answer ? answer.result : {}
  const row: Record<string, unknown> = { ...rest, ...answer, finalUrl, technologies: technologies.join('; ') }
  const cells = FIELDS.map((field) => (row[field] === null || row[field] === undefined ? '' : String(row[field])))
  return stringify([cells], { escape_formulas: true })
}
