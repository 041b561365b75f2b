import { relative } from 'node:path'
import { type Config, loadConfig } from '../src/config/config.ts'
import { API_ERRORS } from '../src/errors.ts'

/**
 * Tables of the service as Markdown: its errors, short and with their sentences, its settings with their defaults, its plans.
 * @param text the document as it stands: the last cell of a row is written by hand and kept, and so is the order of settings
 */
export function serviceTables(text: string): Record<'errors' | 'error-sentences' | 'settings' | 'plans', string> {
  const errors = rowsOf(text, 'errors')
  const sentences = rowsOf(text, 'error-sentences')
  const table = Object.entries(API_ERRORS)
  return {
    errors: markdown(
      ['status', 'code', 'comes when'],
      table.map(([code, [status]]) => [status, `\`${code}\``, errors.get(code)]),
    ),
    'error-sentences': markdown(
      ['code', 'status', 'sentence', 'what to do'],
      table.map(([code, [status, sentence]]) => [`\`${code}\``, status, sentence, sentences.get(code)]),
    ),
    settings: settingsTable(rowsOf(text, 'settings')),
    plans: plansTable(),
  }
}

/** Code words of the rows of a part → the last cell. */
function rowsOf(text: string, part: string): Map<string, string> {
  const [, rows = ''] = new RegExp(`<!-- generated:${part} -->\n(.*?)<!-- /generated -->`, 's').exec(text) ?? []
  const found = rows.matchAll(/^\|[^`\n]*`([\w-]+)`.*\|([^|\n]*)\|$/gm)
  return new Map([...found].map(([, code, cell]) => [code, cell.trim()]))
}

function settingsTable(kept: ReadonlyMap<string, string>): string {
  const defaults = settingDefaults()
  const known = [...kept.keys()].filter((name) => defaults.has(name))
  const names = [...new Set([...known, ...defaults.keys()])]
  return markdown(
    ['setting', 'default', 'says'],
    names.map((name) => [`\`${name}\``, defaults.get(name), kept.get(name)]),
  )
}

/** Settings whose field of the configuration has another name, and those whose default is a file. */
const FIELDS: Readonly<Record<string, keyof Config>> = { RULES_DIRS: 'ruleFolders', DETECTORS: 'detectorModules' }
const FILES: Readonly<Record<string, string>> = { PLANS_FILE: 'src/keys/plans.yaml' }

/** Every setting that the configuration asks for → its default, as Markdown. */
export function settingDefaults(): Map<string, string> {
  const names = new Set<string>()
  const config = loadConfig(
    new Proxy<Record<string, undefined>>(
      {},
      {
        get: (_, name) => {
          names.add(String(name))
          return undefined
        },
      },
    ),
  )
  return new Map([...names].map((name) => [name, defaultOf(name, config)]))
}

function defaultOf(name: string, config: Config): string {
  const camel = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const value = FILES[name] ?? config[FIELDS[name] ?? (camel as keyof Config)]
  if (value === undefined) throw new Error(`${name}: no field of the configuration has its value`)
  if (name === 'DATA_DIR') return `\`./${relative(process.cwd(), config.dataDir)}\``
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '')
  return text === '' ? 'none' : `\`${text}\``
}

function plansTable(): string {
  const rows = [...loadConfig({}).plans.values()].map(({ name, perMinute, perMonth }) => [
    `\`${name}\``,
    perMinute,
    perMonth.toLocaleString('en-US'),
  ])
  return markdown(['plan', 'requests a minute', 'scans a month'], rows)
}

function markdown(titles: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  const line = (cells: readonly (string | number | undefined)[]): string =>
    `| ${cells.map((cell) => cell ?? '').join(' | ')} |`
  return [line(titles), `|${titles.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
