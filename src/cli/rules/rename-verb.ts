import { dirname, join } from 'node:path'
import { computeFingerprint } from '../../rules/built.ts'
import type { CheckedRules } from '../../rules/load.ts'
import { buildRuleset } from '../../rules/open-ruleset.ts'
import { findSlugEdits, renameRule } from '../../rules/rename-rule.ts'
import { SLUG } from '../../rules/schema.ts'
import { formatHint } from '../../yaml/hint.ts'
import { type CommandIo, EXIT, UsageError } from '../command.ts'
import { formatCount } from '../format-count.ts'
import type { Given } from '../verbs.ts'
import { type RuleWork, readKind, readValidRules } from './rule-work.ts'

type Found = CheckedRules['rules'][number]['found']

/** Renames the files of a rule, and its slug in all other rules and tests. */
export function rename(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  const [name, slug] = given.args
  const [, kindName, old] = /^([^/]+)\/([^/]+)$/.exec(name) ?? []
  if (kindName === undefined) throw new UsageError(`rename needs <kind>/<slug>, such as builder/acme, not "${name}"`)
  const kind = readKind(kindName)
  if (!SLUG.test(slug)) throw new UsageError(`"${slug}" is not a slug: use lower-case letters, digits and hyphens`)
  return (loaded) => {
    const checked = readValidRules(loaded)
    const all = checked.rules.map(({ found }) => found)
    const slugs = all.filter((found) => found.kind === kind).map((found) => found.slug)
    const rule = all.find((found) => found.kind === kind && found.slug === old)
    if (rule === undefined) throw new UsageError(`there is no ${kind} "${old}"${formatHint(old, slugs)}`)
    checkConflicts(rule, slug, all)
    const ruleset = buildRuleset(checked, loaded.detectors, computeFingerprint(loaded.folders, loaded.detectors))
    const renaming = { rule, slug, rules: checked.rules, ruleset }
    const edits = findSlugEdits(renaming)
    renameRule(renaming, edits)
    stdout.write(`${rule.file} → ${join(dirname(rule.file), `${slug}.yaml`)}\n`)
    for (const { file, line, column } of edits) stdout.write(`${file}:${line}:${column}\n`)
    const files = new Set(edits.map(({ file }) => file)).size
    stderr.write(
      `${kind} ${old} renamed to ${slug}: ${formatCount(edits.length, 'reference')} in ${formatCount(files, 'file')}\n`,
    )
    return EXIT.ok
  }
}

/** @throws UsageError when the new slug is taken */
function checkConflicts(rule: Found, slug: string, all: readonly Found[]): void {
  if (slug === rule.slug) throw new UsageError(`${rule.file} already has the slug "${slug}"`)
  const isShared = (found: Found): boolean =>
    found.kind === rule.kind || [found.kind, rule.kind].every((kind) => kind === 'builder' || kind === 'technology')
  const other = all.find((found) => found.slug === slug && isShared(found))
  if (other !== undefined) throw new UsageError(`the slug ${slug} is already used by ${other.file}`)
}
