import { basename } from 'node:path'
import type { PageMatcher } from '../../detector/detector.ts'
import type { PageInput } from '../../index.ts'
import { type CommandIo, EXIT, showsColors } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import type { HarPages } from '../formats/har.ts'
import type { RecordWriter } from '../formats/record-writer.ts'
import { type FindFile, openFolder, UNKNOWN_PAGE } from '../formats/saved-files.ts'
import { readSavedPage, type SavedPage } from '../formats/saved-page.ts'
import { describeVerdict } from './describe-verdict.ts'
import { hasEnded, reportEnded } from './fail-on.ts'
import { formatDocument } from './format-document.ts'
import { type Matching, matchPage, recordPage, type SavedExtra } from './match-page.ts'
import type { SavedRendering } from './render-saved.ts'

interface SavedOptions extends Partial<SavedPage> {
  /** A HAR file, instead of `html`. */
  readonly har?: string | undefined
  readonly include: readonly SavedExtra[]
  /** null if pages are not rendered. */
  readonly rendering: SavedRendering | null
  /** Whether a version whose support has ended makes the command fail. */
  readonly failsOnEnded: boolean
  /** Called once the input is valid, because loading the rules takes longer than reading the page. */
  readonly openMatcher: () => Promise<PageMatcher>
  /** Opens the outputs; null to print the result of the first page itself. */
  readonly openWriter: (() => Promise<RecordWriter>) | null
  /** Whether the result is described for a person instead of printed as JSON. */
  readonly isDescribed: boolean
  /** Whether the result is printed as a CycloneDX document. */
  readonly isDocument: boolean
}

/** Scans a saved page, or the pages of a HAR file. @returns the exit code */
export async function scanSaved(options: SavedOptions, io: CommandIo): Promise<number> {
  const { include, openMatcher, openWriter, failsOnEnded, isDescribed, isDocument, rendering } = options
  const { pages, leftOut } = await readPages(options)
  if (leftOut > 0)
    io.stderr.write(
      `${formatCount(leftOut, 'HTML document')} left out: the file does not contain the text, or does not show that the document is not a frame.\n`,
    )
  const matcher = await openMatcher()
  try {
    if (openWriter === null)
      return await printPage(pages, { matcher, include, rendering, isDescribed, isDocument, failsOnEnded }, io)
    const writer = await openWriter()
    const { failed, ended } = await writePages(pages, { matcher, include, rendering }, writer).finally(() =>
      writer.close(),
    )
    io.stderr.write(`${formatCount(pages.length, 'page')}, ${failed} failed\n`)
    return failed > 0 || (failsOnEnded && reportEnded(ended, io)) ? EXIT.findings : EXIT.ok
  } finally {
    await matcher.close()
  }
}

/** Writes a record for each page. @returns the number of pages that failed, and of those with versions whose support has ended */
async function writePages(pages: readonly NamedInput[], matching: Matching, writer: RecordWriter): Promise<PageCounts> {
  let [failed, ended] = [0, 0]
  for (const { id, ...page } of pages) {
    const record = await recordPage({ key: { id }, ...page }, matching)
    if ('error' in record.outcome) failed++
    else if (hasEnded(record.outcome)) ended++
    await writer.write(record)
  }
  return { failed, ended }
}

interface PageCounts {
  readonly failed: number
  readonly ended: number
}

/** The pages of the input. */
interface NamedPages extends Pick<HarPages, 'leftOut'> {
  readonly pages: readonly NamedInput[]
}

type NamedInput = { readonly id: string; readonly input: PageInput; readonly files: FindFile }

/** Reads the pages. A page of a HAR file is named by its address, a saved page by its file. */
async function readPages({ html = '', har, url, headers }: SavedOptions): Promise<NamedPages> {
  if (har === undefined) {
    const input = await readSavedPage({ html, url, headers })
    const files: FindFile = async (wanted) => await (await openFolder(html, url ?? UNKNOWN_PAGE))(wanted)
    return { pages: [{ id: basename(html), input, files }], leftOut: 0 }
  }
  const { readHarPages } = await import('../formats/har.ts') // A page alone needs no reader of archives.
  const { pages, files, leftOut } = await readHarPages(har)
  return { pages: pages.map((input, i) => ({ id: String(input.url), input, files: files[i] })), leftOut }
}

/** Prints the result of the first page. */
async function printPage(
  [{ input, files }, ...others]: readonly NamedInput[],
  {
    isDescribed,
    isDocument,
    failsOnEnded,
    ...matching
  }: Matching & Pick<SavedOptions, 'isDescribed' | 'isDocument' | 'failsOnEnded'>,
  io: CommandIo,
): Promise<number> {
  const { stdout, stderr } = io
  const page = await matchPage({ input, files }, matching)
  const { verdict, result, title, details, packages } = page
  if (!matching.include.includes('warnings')) for (const warning of verdict.warnings) stderr.write(`${warning}\n`)
  if (others.length > 0)
    stderr.write(
      `The file contains ${others.length + 1} pages; this is the first one. To scan all of them, use --out.\n`,
    )
  const { rules } = matching.matcher
  // Labels are read from all rules, which takes a tenth of the time of a scan.
  if (isDescribed) {
    const parts = { labels: rules.labels, title, details, infrastructure: null, hasColors: showsColors(io) }
    stdout.write(describeVerdict(verdict, parts))
  } else if (isDocument) stdout.write(formatDocument({ ...verdict, details, packages }, new Date(page.scannedAt)))
  else stdout.write(`${JSON.stringify(result, null, 2)}\n`)
  return failsOnEnded && hasEnded(page) && reportEnded(1, io) ? EXIT.findings : EXIT.ok
}
