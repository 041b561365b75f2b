import { createReadStream, existsSync } from 'node:fs'
import { appendFile, stat, truncate, writeFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import type { LiveResult } from '../src/scan/scanner.ts'
import { readLines } from './lines.ts'

/** One line of a bulk run. */
export type Answer =
  | { readonly url: string; readonly result: LiveResult }
  | { readonly url: string; readonly error: string; readonly code: string }

const FIELDS =
  'url finalUrl builder builderSlug confidence category isAiNative technologies hosting siteType error code'.split(' ')
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
  if (resume && existsSync(file) && (await stat(file)).size > 0) return { done: await readDone(file, isCsv), write }
  await writeFile(file, isCsv ? stringify([FIELDS]) : '')
  return { done: new Set(), write }
}

async function writeOut(line: string): Promise<void> {
  if (!process.stdout.write(line)) await new Promise((resolve) => process.stdout.once('drain', resolve))
}

/** A run that was cut off may have left half a line: it is taken away, and its URL scanned again. */
async function readDone(file: string, isCsv: boolean): Promise<Set<string>> {
  const done = new Set<string>()
  let whole = 0
  let isHeader = isCsv
  for await (const { text, bytes, isWhole } of readLines(createReadStream(file), MAX_LINE_BYTES)) {
    const url = text === null ? undefined : urlOf(text, isCsv)
    if (!isWhole) break
    whole += bytes
    if (!isHeader && url !== undefined) done.add(url)
    isHeader = false
  }
  await truncate(file, whole)
  return done
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
