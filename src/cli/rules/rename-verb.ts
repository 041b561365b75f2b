import { dirname, join } from 'node:path'
import { findSlugEdits, renameRule } from '../../authoring/rename-rule.ts'
import type { FoundRule } from '../../rules/discover.ts'
import { computeFingerprint } from '../../rules/fingerprint.ts'
import { buildRuleset } from '../../rules/load/open-ruleset.ts'
import { SLUG } from '../../rules/schema.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import type { Given } from '../command/verbs.ts'
import { addFolders, findNamedRule, listRoots } from './named-rules.ts'
import { type RuleWork, readValidRules } from './rule-work.ts'

/** Renames the files of a rule, and its slug in all other rules and tests. */
export function rename(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  const [name, slug] = given.args
  if (!SLUG.test(slug)) throw new UsageError(`"${slug}" is not a slug: use lower-case letters, digits and hyphens`)
  const roots = listRoots([name])
  return ({ folders: known, detectors }) => {
    const folders = addFolders(known, roots)
    const checked = readValidRules({ folders, detectors })
    const rule = findNamedRule(name, checked.rules).found
    if (rule.isBuilt)
      throw new UsageError(`${rule.kind}/${rule.slug} comes with the package: only your rules can be renamed`)
    checkConflicts(
      rule,
      slug,
      checked.rules.map(({ found }) => found),
    )
    const ruleset = buildRuleset(checked, detectors, computeFingerprint(folders, detectors))
    const renaming = { rule, slug, rules: checked.rules, ruleset }
    const edits = findSlugEdits(renaming)
    renameRule(renaming, edits)
    stdout.write(`${rule.file} → ${join(dirname(rule.file), `${slug}.yaml`)}\n`)
    for (const { file, line, column } of edits) stdout.write(`${file}:${line}:${column}\n`)
    const files = new Set(edits.map(({ file }) => file)).size
    stderr.write(
      `${rule.kind} ${rule.slug} renamed to ${slug}: ${formatCount(edits.length, 'reference')} in ${formatCount(files, 'file')}\n`,
    )
    return EXIT.ok
  }
}

/** @throws UsageError when the new slug is taken */
function checkConflicts(rule: FoundRule, slug: string, all: readonly FoundRule[]): void {
  if (slug === rule.slug) throw new UsageError(`${rule.file} already has the slug "${slug}"`)
  const isShared = (found: FoundRule): boolean =>
    found.kind === rule.kind || [found.kind, rule.kind].every((kind) => kind === 'builder' || kind === 'technology')
  const other = all.find((found) => found.slug === slug && isShared(found))
  if (other !== undefined) throw new UsageError(`the slug ${slug} is already used by ${other.file}`)
}
