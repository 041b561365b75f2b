import { readFileSync, writeFileSync } from 'node:fs'
import {
  crossValidate,
  fitPoints,
  MIN_LABELLED_PAGES,
  type Points,
  type Prediction,
  predict,
  readPoints,
  type Types,
} from '../../authoring/fit/fit-points.ts'
import { formatCurve, formatFit } from '../../authoring/fit/fit-report.ts'
import {
  findPart,
  HELD_OUT_PART,
  type LabelledSite,
  NO_TYPE,
  readLabelledPage,
} from '../../authoring/fit/labelled-pages.ts'
import { writePoints } from '../../authoring/fit/write-points.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { TypeDecision } from '../../engine/rule/types.ts'
import type { CheckedRules } from '../../rules/load/load.ts'
import { buildRuleset } from '../../rules/load/open-ruleset.ts'
import { formatHint } from '../../yaml/hint.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import type { Line } from '../formats/lines.ts'
import { type LoadedRules, readValidRules } from './rule-work.ts'

/** `--check`: maximum number of tenths by which refitting may move a point. */
const MAX_MOVED_TENTHS = 5
/** `--check`: maximum share of the verdicts that refitting may change. */
const MAX_CHANGED_VERDICTS = 0.01
/** The decision of rules without categories: the best type is always named. */
const ALWAYS: TypeDecision = { threshold: 0, margin: 0 }

interface FitOptions {
  readonly files: readonly string[]
  /** Compares the points of the rules with those of a new fit, and writes nothing. */
  readonly check: boolean
  /** Fits without the held-out part of the sites, measures on it, and writes nothing. */
  readonly heldOut: boolean
}

/** Fits the points of the site types to labelled pages, prints how good they are, and writes them. @returns the exit code */
export async function fitRules(loaded: LoadedRules, options: FitOptions, io: CommandIo): Promise<number> {
  const checked = readValidRules(loaded)
  const ruleset = buildRuleset(checked, loaded.detectors, '')
  const all = ruleset.rules.filter(({ kind }) => kind === 'site-type')
  const byHand = new Set(checked.rules.filter(({ source }) => source?.fitted === false).map(({ found }) => found.slug))
  const types: Types = { all, fitted: new Set(all.map(({ slug }) => slug).filter((slug) => !byHand.has(slug))) }
  const decision = ruleset.categories.siteTypes ?? ALWAYS
  const read = await readPages(options.files, ruleset)
  const pages = options.heldOut ? read.filter(({ site }) => findPart(site) !== HELD_OUT_PART) : read
  warnAboutFew(pages, types, io)
  const points = fitPoints(pages, types)
  const predictions = crossValidate(pages, types, decision)
  const print = (title: string, made: readonly Prediction[]): void =>
    void io.stdout.write(`${title}\n${formatFit(made, types)}\n${formatCurve(made, decision, types)}\n`)
  print(`Cross-validation, ${formatCount(pages.length, 'page')}`, predictions)
  if (options.heldOut) {
    const rest = read.filter(({ site }) => findPart(site) === HELD_OUT_PART)
    print(`Held-out sites, ${formatCount(rest.length, 'page')}`, predict(rest, points, types, decision))
    return EXIT.ok
  }
  reportWeightless(points, types, io)
  return options.check ? comparePoints(pages, { points, types, decision }, io) : writeRules(checked, points, io)
}

/** Types with few labels cannot be fitted: their points are written by hand. */
function warnAboutFew(pages: readonly LabelledSite[], { fitted }: Types, { stderr }: CommandIo): void {
  for (const slug of fitted) {
    const count = pages.filter(({ siteType }) => siteType === slug).length
    if (count < MIN_LABELLED_PAGES)
      stderr.write(
        `${slug}: only ${formatCount(count, 'labelled page')}; write its points by hand and add \`fitted: false\`, or label ${MIN_LABELLED_PAGES}\n`,
      )
  }
}

function reportWeightless({ clauses }: Points, { all, fitted }: Types, { stdout }: CommandIo): void {
  for (const { slug, typeClauses = [] } of all)
    for (const { id, text } of fitted.has(slug) ? typeClauses : [])
      if (Object.keys(clauses.get(id) ?? {}).length === 0) stdout.write(`no weight: ${id} ${text}\n`)
}

/** Compares a new fit with the points of the rules. */
function comparePoints(
  pages: readonly LabelledSite[],
  { points, types, decision }: { readonly points: Points; readonly types: Types; readonly decision: TypeDecision },
  { stdout }: CommandIo,
): number {
  const known = readPoints(types)
  const moved: string[] = []
  for (const [id, fitted] of points.clauses) {
    const before = known.clauses.get(id) ?? {}
    for (const slug of new Set([...Object.keys(fitted), ...Object.keys(before)])) {
      const [from, to] = [before[slug] ?? 0, fitted[slug] ?? 0]
      if (Math.abs(from - to) > MAX_MOVED_TENTHS) moved.push(`${id}: ${slug} ${from} → ${to}`)
    }
  }
  const [before, after] = [predict(pages, known, types, decision), predict(pages, points, types, decision)]
  const changed = before.filter(({ named }, i) => named !== after[i].named).length
  for (const line of moved) stdout.write(`${line}\n`)
  stdout.write(
    `Refitting moves ${formatCount(moved.length, 'point')} by more than ${MAX_MOVED_TENTHS} tenths and changes ${changed} of ${pages.length} verdicts\n`,
  )
  const isStable = moved.length === 0 && changed <= MAX_CHANGED_VERDICTS * pages.length
  if (!isStable) stdout.write('Run the command without --check, and review the change\n')
  return isStable ? EXIT.ok : EXIT.findings
}

function writeRules({ rules }: CheckedRules, points: Points, { stderr }: CommandIo): number {
  for (const { found, source, compiled } of rules) {
    if (found.kind !== 'site-type' || source?.fitted === false || compiled?.typeClauses === undefined) continue
    const clauses = compiled.typeClauses.map(({ id }) => points.clauses.get(id) ?? {})
    const before = readFileSync(found.file, 'utf8')
    const after = writePoints(before, { prior: points.priors[found.slug] ?? 0, clauses })
    if (after === before) continue
    writeFileSync(found.file, after)
    stderr.write(`${found.file} written\n`)
  }
  return EXIT.ok
}

/**
 * Reads the labelled pages of JSON Lines files; compressed files (gzip) are decompressed. A label is `siteType` of a line or of its `expect`;
 * lines without one are skipped.
 * @throws UsageError for a file or a line that cannot be read, and for a label that no rule has
 */
async function readPages(files: readonly string[], ruleset: Ruleset): Promise<LabelledSite[]> {
  // Imported on demand: no other verb needs the library of gzip.
  const { formatProblem, parseLine, readBatchLines, readPageLine } = await import('../scan/batch-lines.ts')
  const slugs = ruleset.rules.filter(({ kind }) => kind === 'site-type').map(({ slug }) => slug)
  const read = (line: Line): LabelledSite | null => {
    const fields = parseLine(line)
    const siteType = readLabel(fields)
    if (siteType === null) return null
    if (siteType !== NO_TYPE && !slugs.includes(siteType))
      throw new TypeError(`no rule has the site type "${siteType}"${formatHint(siteType, slugs)}`)
    const { id, input } = readPageLine(fields)
    const { url, status, headers, html } = input
    return readLabelledPage(ruleset, { id, url, status, headers, html, siteType })
  }
  const pages: LabelledSite[] = []
  for (const file of files)
    for await (const { line } of readBatchLines(file))
      try {
        const page = read(line)
        if (page !== null) pages.push(page)
      } catch (error) {
        throw new UsageError(`${file}:${line.number}: ${formatProblem(error)}`)
      }
  if (pages.length === 0) throw new UsageError('--pages: no line has a siteType')
  return pages
}

function readLabel({ siteType, expect }: Readonly<Record<string, unknown>>): string | null {
  const label = siteType ?? (expect as { readonly siteType?: unknown } | null | undefined)?.siteType
  return typeof label === 'string' ? label : null
}
