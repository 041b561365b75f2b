import { searchRules } from '../../authoring/search-rules.ts'
import { indexPlaces } from '../../engine/rule/clause.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { formatRule, formatStats } from './format-rule.ts'
import { findNamedRules } from './named-rules.ts'
import { type RuleWork, readKind, readValidRules, requireCategory } from './rule-work.ts'

/** Lists rules, as a table or as JSON Lines. */
export function list(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  const kindName = readTextOption(given, 'kind')
  const kind = kindName === undefined ? undefined : readKind(kindName)
  const category = readTextOption(given, 'category')
  return (loaded) => {
    const { rules, categories } = readValidRules(loaded)
    if (category !== undefined) requireCategory(category, kind ?? null, categories)
    const chosen = rules
      .flatMap(({ found, source }) => (source === null ? [] : [{ file: found.file, ...source }]))
      .filter((rule) => (kind ?? rule.kind) === rule.kind && (category ?? rule.category) === rule.category)
    const rows = chosen.map((rule) => [rule.kind, rule.slug, rule.name, rule.category ?? '', rule.verified])
    const lines = given.values.json
      ? chosen.map(({ kind, slug, name, category = null, verified, file }) =>
          JSON.stringify({ kind, slug, name, category, verified, file }),
        )
      : formatColumns(rows)
    for (const line of lines) stdout.write(`${line}\n`)
    stderr.write(`${formatCount(chosen.length, 'rule')}\n`)
    return EXIT.ok
  }
}

function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i].length))) ?? []
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  )
}

/** Searches words, names, slugs and sources. */
export function search(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  const [wanted] = given.args
  if (wanted.trim() === '') throw new UsageError('search needs a text that is not empty')
  return (loaded) => {
    const { rules } = readValidRules(loaded)
    const matches = searchRules(rules, wanted.trim(), indexPlaces(loaded.detectors))
    for (const { rule, line, column, key, value } of matches)
      stdout.write(`${rule.file}:${line}:${column}  ${rule.kind} ${rule.slug}  ${key}: ${value}\n`)
    const count = new Set(matches.map(({ rule }) => rule)).size
    stderr.write(`${matches.length} ${matches.length === 1 ? 'match' : 'matches'} in ${formatCount(count, 'rule')}\n`)
    return EXIT.ok
  }
}

/** Describes rules in words. */
export function show(given: Given, { stdout }: CommandIo): RuleWork {
  const [slug] = given.args
  return (loaded) => {
    const { rules } = readValidRules(loaded)
    const chosen = findNamedRules([slug], rules)
    const places = indexPlaces(loaded.detectors)
    stdout.write(chosen.map((rule) => formatRule(rule, rules, places)).join('\n'))
    return EXIT.ok
  }
}

/** Counts rules, clauses and test pages. */
export function stats(_: Given, { stdout }: CommandIo): RuleWork {
  return (loaded) => {
    stdout.write(formatStats(readValidRules(loaded)))
    return EXIT.ok
  }
}
