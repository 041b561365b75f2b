import { createHash } from 'node:crypto'
import { parseLine, readBatchLines, readPageLine } from '../../src/cli/scan/batch-lines.ts'
import { SetupError } from '../../src/errors.ts'

/** A line of a batch, with its label if it has one. */
export interface PageLine {
  readonly id: string
  readonly url: string | null
  readonly html: string
  readonly headers: readonly (readonly [string, string])[]
  readonly label: Label | null
  /** The line as detectors get it: without its label and its source. */
  readonly line: { readonly id: string }
}

/** What is known about a page: a builder, or that it has none. */
export interface Label {
  /** Name or slug; null for a page that was made without one. */
  readonly builder: string | null
}

/** Pages of a batch file, and the SHA-256 of all lines that detectors get. */
export interface PageSet {
  readonly pages: readonly PageLine[]
  readonly hash: string
}

/**
 * Reads pages with the labels in their key `expect`, or those of another file by id.
 * @param file JSON Lines as of `scan --batch`, also gzip
 * @param count the number of pages, taken at equal intervals; null for all
 * @throws SetupError naming the first line that is not a page or has the id of an earlier one
 */
export async function readPages(file: string, labels: string | null, count: number | null): Promise<PageSet> {
  const all: PageLine[] = []
  const seen = new Set<string>()
  for await (const { line, number } of readLines(file)) {
    const page = wrapErrors(`${file}:${number}`, () => readPage(line))
    if (seen.has(page.id)) throw new SetupError(`${file}:${number}: the id "${page.id}" is repeated`)
    seen.add(page.id)
    all.push(page)
  }
  if (all.length === 0) throw new SetupError(`${file} has no pages`)
  const byId = labels === null ? null : await readLabels(labels)
  const step = count === null ? 1 : Math.max(1, all.length / count)
  const wanted = Math.min(count ?? all.length, all.length)
  const pages = Array.from({ length: wanted }, (_, i) => all[Math.floor(i * step)]).map((page) => ({
    ...page,
    label: byId === null ? page.label : (byId.get(page.id) ?? null),
  }))
  const hash = createHash('sha256')
  for (const { line } of pages) hash.update(`${JSON.stringify(line)}\n`)
  return { pages, hash: hash.digest('hex') }
}

/** @throws SetupError naming the first invalid line */
async function* readLines(file: string) {
  for await (const { line } of readBatchLines(file))
    yield { line: wrapErrors(`${file}:${line.number}`, () => parseLine(line)), number: line.number }
}

function wrapErrors<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new SetupError(`${place}: ${(error as Error).message}`)
  }
}

function readPage(line: Readonly<Record<string, unknown>>): PageLine {
  const { id } = readPageLine(line)
  const { expect, source: _, ...given } = line
  return {
    id,
    url: typeof line.url === 'string' ? line.url : null,
    html: typeof line.html === 'string' ? line.html : '',
    headers: (line.headers ?? []) as PageLine['headers'],
    label: expect === undefined ? null : readLabel(expect),
    line: { ...given, id },
  }
}

/** @throws TypeError naming the invalid field */
function readLabel(expect: unknown): Label | null {
  if (typeof expect !== 'object' || expect === null) throw new TypeError('expect must be an object')
  const { builder = null, none = false } = expect as Readonly<Record<string, unknown>>
  if (builder !== null && typeof builder !== 'string') throw new TypeError('expect.builder must be a string or null')
  if (none !== true) return builder === null ? null : { builder }
  if (builder !== null) throw new TypeError('expect has a builder, and none is true: one of them must go')
  return { builder: null }
}

async function readLabels(file: string): Promise<ReadonlyMap<string, Label | null>> {
  const labels = new Map<string, Label | null>()
  for await (const { line, number } of readLines(file)) {
    if (typeof line.id !== 'string') throw new SetupError(`${file}:${number}: id must be a string`)
    const label = wrapErrors(`${file}:${number}`, () => readLabel(line.expect))
    labels.set(line.id, label)
  }
  return labels
}
