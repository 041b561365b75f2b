import type { FieldChange, PageChange, RuleChange } from '../../authoring/compare-verdicts.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import type { GitRevision } from './git-rules.ts'

/** How the verdicts of two versions of the rules differ. */
export interface RulesDiff {
  /** The older version; the newer one is the working tree. */
  readonly from: GitRevision
  /** Number of pages that were compared. */
  readonly pages: number
  readonly changes: readonly PageChange[]
}

/** Maximum number of pages in a comment for a pull request: GitHub limits a comment to 65,536 characters. */
const MAX_LISTED_PAGES = 100
const MAX_CELL_LENGTH = 120
/** A workflow finds its own comment by this line, and replaces it. */
const COMMENT_MARK = '<!-- siteprint rules diff -->'

/** Formats of a diff, by the name that `--format` takes. */
const FORMATS: Readonly<Record<string, (diff: RulesDiff) => string>> = {
  text: formatText,
  json: formatJson,
  markdown: formatMarkdown,
}

/** @throws UsageError for a name that is not a format */
export function readDiffFormat(name = 'text'): (diff: RulesDiff) => string {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name]
  throw new UsageError(`--format: there is no format "${name}"${formatChoice(name, Object.keys(FORMATS))}`)
}

/** The pages on which the part of a rule in the result changes. */
type ChangedPages = Readonly<Record<RuleChange['change'], readonly string[]>>

function groupByRule(changes: readonly PageChange[]): ReadonlyMap<string, ChangedPages> {
  const groups = new Map<string, Record<RuleChange['change'], string[]>>()
  for (const { page, rules } of changes)
    for (const { rule, change } of rules) {
      const group = groups.get(rule) ?? { gained: [], lost: [], level: [] }
      groups.set(rule, group)
      group[change].push(page)
    }
  return new Map([...groups].sort(([a], [b]) => a.localeCompare(b)))
}

function formatHeading({ from, pages, changes }: RulesDiff): string {
  const found =
    changes.length === 0 ? 'no verdict changes' : `the verdict on ${formatCount(changes.length, 'page')} changes`
  return `${from.ref} (${from.commit.slice(0, 7)}) to the working tree: ${found}, ${formatCount(pages, 'page')} compared`
}

function formatText(diff: RulesDiff): string {
  const rules = [...groupByRule(diff.changes)].map(([rule, { gained, lost, level }]) => {
    const parts = [
      gained.length > 0 && `new on ${formatCount(gained.length, 'page')}`,
      lost.length > 0 && `gone from ${formatCount(lost.length, 'page')}`,
      level.length > 0 && `another level on ${formatCount(level.length, 'page')}`,
    ]
    return `  ${rule}: ${parts.filter((part) => part !== false).join(', ')}`
  })
  const pages = diff.changes.flatMap(({ page, fields }) => [
    `  ${page}`,
    ...fields.map((change) => `    ${change.field}: ${formatChange(change)}`),
  ])
  const blocks = diff.changes.length === 0 ? [] : ['by rule', ...rules, 'by page', ...pages]
  return `${[formatHeading(diff), ...blocks].join('\n')}\n`
}

function formatChange({ before, after }: FieldChange): string {
  return `${before ?? 'none'} → ${after ?? 'none'}`
}

function formatJson({ from, pages, changes }: RulesDiff): string {
  const rules = [...groupByRule(changes)].map(([rule, group]) => ({ rule, ...group }))
  return `${JSON.stringify({ from, pages, rules, changes }, null, 2)}\n`
}

function formatMarkdown(diff: RulesDiff): string {
  const rules = [...groupByRule(diff.changes)].map(
    ([rule, { gained, lost, level }]) => `| ${quote(rule)} | ${gained.length} | ${lost.length} | ${level.length} |`,
  )
  const pages = diff.changes
    .slice(0, MAX_LISTED_PAGES)
    .flatMap(({ page, fields }) =>
      fields.map(({ field, before, after }) => `| ${quote(page)} | ${field} | ${quote(before)} | ${quote(after)} |`),
    )
  const left = diff.changes.length - MAX_LISTED_PAGES
  const header = ['', '| rule | new on | gone from | another level on |', '|---|--:|--:|--:|']
  const tables = [
    ...(rules.length > 0 ? [...header, ...rules] : []),
    '',
    '<details><summary>Pages</summary>',
    '',
    '| page | field | before | after |',
    '|---|---|---|---|',
    ...pages,
    ...(left > 0 ? ['', `${formatCount(left, 'more page')} not listed.`] : []),
    '',
    '</details>',
  ]
  const lines = [COMMENT_MARK, '### Verdicts', '', `${escapeMarkdown(formatHeading(diff))}.`]
  return `${[...lines, ...(diff.changes.length === 0 ? [] : tables)].join('\n')}\n`
}

/**
 * Writes a value as code in a cell of a table. Names may come from third-party rules, so nothing in them may become
 * markup.
 */
function quote(value: string | null): string {
  if (value === null) return 'none'
  const line = value
    .replace(/[`\s\p{Cc}]+/gu, ' ')
    .replaceAll('|', '\\|')
    .trim()
  return `\`${line.length > MAX_CELL_LENGTH ? `${line.slice(0, MAX_CELL_LENGTH)}…` : line || ' '}\``
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|@]/g, '\\$&')
}
