import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage } from '../engine/page/page.ts'
import { detect } from '../engine/verdict/detect.ts'
import { computeLevel } from '../engine/verdict/score.ts'
import { findNamedSlugs, findNamespace } from '../rules/checks/set-checks.ts'
import type { FoundRule } from '../rules/discover.ts'
import { type Fixture, readFixtures } from '../rules/fixtures.ts'
import type { Path, SourceFile } from '../yaml/source-file.ts'
import type { RuleFile } from './search-rules.ts'

/** A slug in a file, and the slugs that replace it. */
export interface SlugEdit {
  readonly file: string
  /** Lines and columns count from 1. */
  readonly line: number
  readonly column: number
  readonly slugs: readonly string[]
  /** Whether the slug is an item of a list. */
  readonly isItem: boolean
}

/** The input of a renaming: the rule, its new slug, and everything that may refer to it. */
export interface Renaming {
  readonly rule: FoundRule
  readonly slug: string
  readonly rules: readonly RuleFile[]
  readonly ruleset: Ruleset
}

/** Finds every place that names a rule by its slug, in rules and in tests, and what to write there. */
export function findSlugEdits(renaming: Renaming): SlugEdit[] {
  const { rule, slug, rules } = renaming
  const space = findNamespace(rule.kind)
  const named = rules.flatMap(({ found, file }) =>
    [...findNamedSlugs({ found, file })]
      .filter((name) => name.slug === rule.slug && name.space === space)
      .map(({ path, isKey }) => buildEdit(file, path, [slug], isKey)),
  )
  const fixtures = rules.flatMap(({ found }) => readFixtures(found).fixtures)
  return [...named, ...fixtures.flatMap((fixture) => findFixtureEdits(fixture, renaming))]
}

function findFixtureEdits(fixture: Fixture, renaming: Renaming): SlugEdit[] {
  const { file, path, hit, also } = fixture
  const { rule, slug } = renaming
  if (rule.kind === 'site-type')
    return hit?.siteType === rule.slug ? [buildEdit(file, [...path, 'siteType'], [slug])] : []
  const slugs = also.includes(rule.slug) ? findMeant(fixture, renaming) : []
  if (!slugs.includes(slug)) return []
  const item = [...path, 'also', also.indexOf(rule.slug)]
  return [buildEdit(file, item, slugs)]
}

/** An item of `also` stands for every rule with that slug that fires: of two such rules, only one is renamed. */
function findMeant({ input, rule: own }: Fixture, { rule, slug, rules, ruleset }: Renaming): string[] {
  const space = findNamespace(rule.kind)
  if (!rules.some(({ found }) => found.slug === rule.slug && findNamespace(found.kind) !== space)) return [slug]
  const fired = detect(ruleset, buildPage(input)).evidence.filter(
    (one) => one.slug === rule.slug && one.kind !== 'site-type' && computeLevel(one.points) !== null,
  )
  const others = fired.filter(({ kind }) => kind !== own.kind || rule.slug !== own.slug)
  return others.map(({ kind }) => (findNamespace(kind) === space ? slug : rule.slug)).sort()
}

function buildEdit(file: SourceFile, path: Path, slugs: readonly string[], isKey = false): SlugEdit {
  const isItem = typeof path.at(-1) === 'number' && Array.isArray(readAt(file.data, path.slice(0, -1)))
  const { line, column } = isKey ? file.keyAt(path) : file.valueAt(path)
  return { file: file.file, line, column, slugs, isItem }
}

function readAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<string | number, unknown>)[step], data)
}

/** Renames the files of a rule and applies the edits. Nothing is written if an edit does not fit. */
export function renameRule({ rule, slug }: Renaming, edits: readonly SlugEdit[]): void {
  const texts = new Map<string, string[]>()
  // Edits of a line are applied from its end, so that columns of the other edits stay correct.
  for (const edit of [...edits].sort((a, b) => b.line - a.line || b.column - a.column)) {
    const lines = texts.get(edit.file) ?? readFileSync(edit.file, 'utf8').split('\n')
    texts.set(edit.file, lines)
    lines[edit.line - 1] = applyEdit(lines[edit.line - 1], rule.slug, edit)
  }
  for (const [file, lines] of texts) writeFileSync(file, lines.join('\n'))
  renameSync(rule.file, join(dirname(rule.file), `${slug}.yaml`))
  if (rule.hasTest) renameSync(rule.testFile, join(dirname(rule.testFile), `${slug}.test.yaml`))
}

function applyEdit(line: string, old: string, { file, line: number, column, slugs, isItem }: SlugEdit): string {
  const quoted = /^(['"]?)(.*?)\1(?=[\s,\]}:]|$)/.exec(line.slice(column - 1))
  if (quoted?.[2] !== old) throw new Error(`${file}:${number}:${column}: expected the slug "${old}" here`)
  const before = line.slice(0, column - 1)
  const isBlockItem = /^\s*- $/.test(before)
  const separator = isBlockItem ? `\n${before}` : ', '
  const text = isItem || slugs.length === 1 ? slugs.join(separator) : `[${slugs.join(separator)}]`
  return `${before}${text}${line.slice(column - 1 + quoted[0].length)}`
}
