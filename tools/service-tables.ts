import { dirname, posix } from 'node:path'
import { loadConfig } from '../src/config/config.ts'
import type { Setting } from '../src/config/setting.ts'
import { SETTINGS } from '../src/config/settings.ts'
import { API_ERRORS } from '../src/errors.ts'

/** A document before it is generated again. */
export interface Document {
  /** Path relative to the folder of the project. */
  readonly file: string
  readonly text: string
}

/** Table of API errors. The last cell of each row is written by hand and preserved. */
export function formatErrors({ text }: Document): string {
  const written = readLastCells(text, 'errors')
  const rows = Object.entries(API_ERRORS).map(([code, [status]]) => [status, `\`${code}\``, written.get(code)])
  return formatTable(['status', 'code', 'comes when'], rows)
}

/** Table of API errors with their sentences. The last cell of each row is written by hand and preserved. */
export function formatErrorSentences({ text }: Document): string {
  const written = readLastCells(text, 'error-sentences')
  const rows = Object.entries(API_ERRORS).map(([code, [status, sentence]]) => [
    `\`${code}\``,
    status,
    sentence,
    written.get(code),
  ])
  return formatTable(['code', 'status', 'sentence', 'what to do'], rows)
}

/** Table of all settings with their defaults and their documentation. */
export function formatSettings({ file }: Document): string {
  const rows = Object.values<Setting<unknown>>(SETTINGS).map((setting) => [
    setting.isSecret ? `\`${setting.name}\`, \`${setting.name}_FILE\`` : `\`${setting.name}\``,
    formatDefault(setting),
    rewriteLinks(setting.documentation, file),
  ])
  return formatTable(['setting', 'default', 'description'], rows)
}

export function formatPlans(): string {
  const rows = [...loadConfig({}).plans.values()].map(({ name, perMinute, perMonth, keys }) => [
    `\`${name}\``,
    perMinute,
    perMonth.toLocaleString('en-US'),
    keys,
  ])
  return formatTable(['plan', 'requests a minute', 'scans a month', 'keys of an account'], rows)
}

/** Maps the code in each row of a generated part to the last cell of that row. */
export function readLastCells(text: string, part: string): Map<string, string> {
  const [, rows = ''] = new RegExp(`<!-- generated:${part} -->\n(.*?)<!-- /generated -->`, 's').exec(text) ?? []
  const found = rows.matchAll(/^\|[^`\n]*`([\w-]+)`.*\|([^|\n]*)\|$/gm)
  return new Map([...found].map(([, code, cell]) => [code, cell.trim()]))
}

/** Formats a Markdown table. */
export function formatTable(
  titles: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const formatRow = (cells: readonly (string | number | undefined)[]): string =>
    `| ${cells.map((cell) => cell ?? '').join(' | ')} |`
  return [formatRow(titles), `|${titles.map(() => '---|').join('')}`, ...rows.map(formatRow)].join('\n')
}

function formatDefault({ default: value, shownDefault }: Setting<unknown>): string {
  const shown = shownDefault ?? (typeof value === 'function' ? value(loadConfig({})) : value)
  const text = Array.isArray(shown) ? shown.join(',') : String(shown ?? '')
  return text === '' ? 'none' : `\`${text}\``
}

/** Rewrites links that are relative to the folder of the project for the file that contains them. */
function rewriteLinks(markdown: string, file: string): string {
  return markdown.replace(/\]\((?!https?:)([^)#]+)(#[^)]*)?\)/g, (_, target: string, anchor = '') => {
    const path = target === file ? '' : posix.relative(dirname(file), target)
    return `](${path}${anchor})`
  })
}
