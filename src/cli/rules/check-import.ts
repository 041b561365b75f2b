import { existsSync, writeFileSync } from 'node:fs'
import { ImportComparer, type ImportedRule, type NamesComparison } from '../../authoring/import/compare-names.ts'
import { SetupError } from '../../errors.ts'
import { isImported } from '../../rules/checks/rule-checks.ts'
import { checkFolders, throwOnErrors } from '../../rules/load/load.ts'
import { buildRuleset } from '../../rules/load/open-ruleset.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { parseLine, readBatchLines } from '../scan/batch-lines.ts'
import { addFolders } from './named-rules.ts'
import { readPageFile } from './page-files.ts'
import type { RuleWork } from './rule-work.ts'

/** Number of technologies that the text lists. */
const SHOWN_RULES = 40

/** Compares on pages what imported rules name with what another tool named there. */
export function checkImport(given: Given, io: CommandIo): RuleWork {
  const [pages, against, report] = ['check', 'against', 'report'].map((name) => readTextOption(given, name))
  if (pages === undefined || against === undefined)
    throw new UsageError('import --check PAGES needs --against NAMES, and the reverse')
  for (const name of ['out', 'prefix', 'skip-known'])
    if (name in given.values) throw new UsageError(`--${name} cannot be combined with --check`)
  for (const file of [pages, against, ...given.args])
    if (!existsSync(file)) throw new UsageError(`there is no file or folder "${file}"`)
  return async ({ folders, detectors }) => {
    const checked = checkFolders({ folders: addFolders(folders, given.args), detectors })
    throwOnErrors(checked.findings)
    const rules: ImportedRule[] = checked.rules.flatMap(({ found, file, source }) =>
      source !== null && isImported(file) ? [{ slug: found.slug, name: source.name, file: found.file }] : [],
    )
    if (rules.length === 0)
      throw new UsageError('no rule is imported: name a folder of imported rules, or set RULES_DIRS')
    const names = await readNames(against)
    const comparer = new ImportComparer(buildRuleset(checked, detectors, ''), rules)
    for await (const { name, input } of readPageFile(pages)) {
      const other = names.get(name)
      if (other !== undefined) comparer.add(name, input, other)
    }
    const comparison = comparer.finish()
    if (comparison.pages === 0) throw new SetupError(`no page of ${pages} has an id that ${against} names`)
    if (report !== undefined) writeFileSync(report, `${JSON.stringify(comparison, null, 2)}\n`)
    io.stdout.write(describe(comparison))
    return EXIT.ok
  }
}

/**
 * Reads what another tool named: lines with the `id` of a page and its `names`.
 * @throws SetupError for a line of another form
 */
async function readNames(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = new Map<string, readonly string[]>()
  for await (const { line } of readBatchLines(file)) {
    const { id, names: list } = parseLine(line)
    if (typeof id !== 'string' || !Array.isArray(list) || !list.every((one) => typeof one === 'string'))
      throw new SetupError(`${file}:${line.number}: a line needs an id (text) and names (list of texts)`)
    names.set(id, list)
  }
  return names
}

function describe({ pages, both, missing, others, differences }: NamesComparison): string {
  const share = (part: number, whole: number): string => `${whole === 0 ? 0 : ((100 * part) / whole).toFixed(1)} %`
  const lines = [
    `${formatCount(pages, 'page')}, ${formatCount(both + missing, 'naming')} of the other tool`,
    `  ${both} also by the imported rules (${share(both, both + missing)})`,
    `  ${missing} missing (${share(missing, both + missing)})`,
    `  ${others} others, which only the imported rules name (${share(others, both + others)} of theirs)`,
  ]
  const groups = new Map<string, (typeof differences)[number][]>()
  for (const one of differences) {
    const key = `${one.kind} ${one.name}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length || (a[0].name < b[0].name ? -1 : 1))
  for (const group of sorted.slice(0, SHOWN_RULES)) {
    const [{ kind, name, page, reason }] = group
    lines.push('', `${kind} ${group.length} × ${name}, for example on ${page}`, `  ${reason}`)
  }
  if (sorted.length > SHOWN_RULES)
    lines.push('', `and ${sorted.length - SHOWN_RULES} more technologies; --report FILE writes every difference`)
  return `${lines.join('\n')}\n`
}
