import type { Gap } from '../../authoring/gaps/gap-counter.ts'
import { escapeInvisible, makeVisible } from '../../engine/text/visible-text.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { formatRows } from '../command/format-rows.ts'

/** What was counted. */
export interface GapReport {
  readonly pages: number
  /** Lines that are not pages, and the first of their problems. */
  readonly skipped: number
  readonly gaps: readonly Gap[]
}

const FORMATS: Readonly<Record<string, (report: GapReport) => string>> = { text: formatText, json: formatJson }

/** @throws UsageError for a name that is not a format */
export function readGapFormat(name = 'text'): (report: GapReport) => string {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name]
  throw new UsageError(`--format: there is no format "${name}"${formatChoice(name, Object.keys(FORMATS))}`)
}

function formatText({ pages, gaps }: GapReport): string {
  if (gaps.length === 0) return `${formatCount(pages, 'page')}: rules explain every mark that several sites share\n`
  const titles = ['line', 'sites', 'kind', 'mark', 'builders of these pages']
  const rows = gaps.map((gap, i) => [i + 1, gap.sites, gap.kind, makeVisible(gap.key), formatBuilders(gap)])
  const [head, ...lines] = formatRows(titles, rows).split('\n')
  const blocks = gaps.flatMap((gap, i) => [
    lines[i],
    ...gap.examples.map(({ page, shown }) => `        ${makeVisible(page)}: ${makeVisible(shown)}`),
  ])
  return [head, ...blocks, ''].join('\n')
}

/** Formats which builders are named on the pages: `WordPress 60 %, none 40 %`. */
function formatBuilders({ builders }: Gap): string {
  const total = builders.reduce((sum, [, pages]) => sum + pages, 0)
  return builders
    .slice(0, 3)
    .map(([name, pages]) => `${name ?? 'none'} ${Math.round((100 * pages) / total)} %`)
    .join(', ')
}

function formatJson({ pages, skipped, gaps }: GapReport): string {
  const listed = gaps.map(({ builders, ...gap }, i) => ({
    line: i + 1,
    ...gap,
    builders: builders.map(([name, count]) => ({ name, pages: count })),
  }))
  return `${escapeInvisible(JSON.stringify({ pages, skipped, gaps: listed }, null, 2))}\n`
}
