import type { Gap } from '../../authoring/gaps/gap-counter.ts'
import { buildGapTrait } from '../../authoring/gaps/gap-trait.ts'
import { MARK_KINDS, type MarkKind } from '../../authoring/gaps/mark.ts'
import { SetupError } from '../../errors.ts'
import type { PageInput } from '../../index.ts'
import { formatChoice, formatHint } from '../../yaml/hint.ts'
import { checkFiles } from '../command/check-files.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { createProgressBar } from '../command/progress-bar.ts'
import { type Given, readListOption, readTextOption } from '../command/verbs.ts'
import { type CountedPages, countGaps } from './count-gaps.ts'
import { readGapFormat } from './format-gaps.ts'
import { readGapPages } from './gap-pages.ts'
import { findRules } from './named-rules.ts'
import { readFolder, readName, writeProposal } from './new-rule.ts'
import type { LoadedRules, RuleWork } from './rule-work.ts'

/** Marks of fewer sites may be those of one company. */
const MIN_SITES = 2
const DEFAULT_TOP = 60

/** Lists what occurs in pages and no rule explains, by number of sites; or writes the draft of a rule for a line of the list. */
export function findGaps(given: Given, io: CommandIo): RuleWork {
  const format = readGapFormat(readTextOption(given, 'format'))
  const files = [...readListOption(given, 'pages'), ...given.args]
  if (files.length === 0) throw new UsageError('gaps needs --pages FILE')
  const kinds = readNames(given, 'kind').map(readMarkKind)
  const top = readCount(given, 'top', DEFAULT_TOP)
  const without = readNames(given, 'without')
  const name = readTextOption(given, 'new')
  const rule = name === undefined ? null : readName(name, readTextOption(given, 'category') ?? null)
  const line = readCount(given, 'line', 0)
  const folder = readFolder(given)
  if ((rule === null) !== (line === 0))
    throw new UsageError('--new and --line belong together: --new builder/acme --line 3')
  return async (loaded) => {
    for (const file of files) await checkFiles({ pages: file })
    checkRules(without, loaded)
    const { counter, pages, problems } = await count(files, { loaded, without, io })
    const gaps = counter.list(MIN_SITES).filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
    if (problems.count > 0)
      io.stderr.write(`${formatCount(problems.count, 'line')} without a page, the first: ${problems.first}\n`)
    if (pages === 0) throw new SetupError('these files contain no page')
    if (rule !== null) {
      const gap = gaps[line - 1]
      if (gap === undefined) throw new UsageError(`--line: the list has ${formatCount(gaps.length, 'line')}`)
      return writeProposal({ rule, folder, readInput: () => readExample(gap), lead: buildGapTrait(gap) }, loaded, io)
    }
    io.stdout.write(format({ pages, skipped: problems.count, gaps: gaps.slice(0, top) }))
    return EXIT.ok
  }
}

/** Reads names with commas between them. */
function readNames(given: Given, option: string): readonly string[] {
  return readTextOption(given, option)?.split(',') ?? []
}

function readMarkKind(name: string): MarkKind {
  const kind = MARK_KINDS.find((one) => one === name)
  if (kind === undefined) throw new UsageError(`--kind: there is no kind "${name}"${formatChoice(name, MARK_KINDS)}`)
  return kind
}

function readCount(given: Given, option: string, otherwise: number): number {
  const text = readTextOption(given, option)
  if (text === undefined) return otherwise
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UsageError(`--${option} must be an integer from 1 to 999999, not "${text}"`)
}

/** @throws UsageError for a rule that does not exist */
function checkRules(names: readonly string[], { folders }: LoadedRules): void {
  const known = findRules(folders).flatMap(({ found: { kind, slug } }) => [slug, `${kind}/${slug}`])
  for (const name of names)
    if (!known.includes(name)) throw new UsageError(`--without: there is no rule "${name}"${formatHint(name, known)}`)
}

interface Counting {
  readonly loaded: LoadedRules
  readonly without: readonly string[]
  readonly io: CommandIo
}

async function count(files: readonly string[], { loaded, without, io }: Counting): Promise<CountedPages> {
  const { folders, detectorModules: detectors } = loaded
  const bar = createProgressBar(io, '', { format: '{value} pages read' })
  bar.start(0, 0)
  try {
    return await countGaps(files, { folders: folders.slice(1), detectors, without }, (pages) => bar.update(pages))
  } finally {
    bar.stop()
  }
}

/** Reads the first example of a gap again. */
async function readExample({ examples: [{ page, file }] }: Gap): Promise<PageInput> {
  for await (const read of readGapPages(file))
    if ('name' in read && read.name === page) {
      if (read.input !== null) return read.input
      throw new UsageError(`${page} is the result of a scan, without its page: use rules new with its URL`)
    }
  throw new SetupError(`${file} no longer contains the page ${page}`)
}
