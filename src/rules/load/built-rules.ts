import { PackedRules } from '../../engine/lookup/packed-rules.ts'
import type { PackedRuleset } from '../../engine/lookup/ruleset.ts'
import type { Places } from '../../engine/rule/clause.ts'
import type { Categories, ClauseSource, CompiledRule, Leaf, RuleKind, RuleSource } from '../../engine/rule/types.ts'
import { SourceFile } from '../../yaml/source-file.ts'
import type { CheckedRule } from '../checks/rule-checks.ts'
import { type FoundRule, KINDS } from '../discover.ts'
import { GROUPS } from '../schema.ts'

/** Rules of a compiled ruleset in the form in which checks read those of YAML files. */
export interface BuiltRules {
  readonly rules: readonly CheckedRule[]
  readonly categories: Categories
}

const FOLDERS: ReadonlyMap<RuleKind, string> = new Map([...KINDS].map(([folder, kind]) => [kind, folder]))

/**
 * Restores rules from a compiled ruleset, so that rules of other folders can be checked against them: slugs, names, relations, and
 * the words and tests of clauses are those of the YAML. Groups are restored as lists of their clauses; sources, dates, weights and
 * tests are not part of a compiled ruleset.
 */
export function readBuiltRules(
  { sections, categories }: Pick<PackedRuleset, 'sections' | 'categories'>,
  places: Places,
): BuiltRules {
  const packed = new PackedRules(sections.at('rules'))
  const rules = Array.from({ length: packed.count }, (_, i) => restoreRule(packed.get(i), places))
  return { rules, categories }
}

/** Lists the rules of a compiled ruleset as if their files had been found. */
export function listBuiltRules({ sections }: Pick<PackedRuleset, 'sections'>): readonly FoundRule[] {
  const packed = new PackedRules(sections.at('rules'))
  return Array.from({ length: packed.count }, (_, i) => nameRule(packed.get(i)))
}

function nameRule({ kind, slug, category }: CompiledRule): FoundRule {
  const isTechnology = kind === 'technology' && category !== undefined
  const path = `siteprint:${FOLDERS.get(kind)}/${isTechnology ? `${category}/` : ''}${slug}`
  const found = {
    file: `${path}.yaml`,
    testFile: `${path}.test.yaml`,
    hasTest: false,
    kind,
    slug,
    isBuilt: true,
  } as const
  return isTechnology ? { ...found, category } : found
}

function restoreRule(compiled: CompiledRule, places: Places): CheckedRule {
  const found = nameRule(compiled)
  const { leaves, clauses, typeClauses = [], cdn, ...facts } = compiled
  const byId = new Map(leaves.map((leaf) => [leaf.id, leaf]))
  const source: RuleSource = {
    ...facts,
    ...(cdn && { role: 'cdn' }),
    detect: [...clauses, ...typeClauses].map((clause) =>
      restoreClause(
        clause.text,
        clause.leaves.flatMap((id) => byId.get(id) ?? []),
        places,
      ),
    ),
    source: [],
    verified: '',
  }
  // There is no text, so every position is the beginning of the file.
  const file = new SourceFile(found.file, { content: new Uint8Array(), known: { data: source, findings: [] } })
  return { found, file, findings: [], source, compiled }
}

/**
 * Restores a clause.
 * @param text the clause as written, which names its group. It is for readers: its values are not quoted
 * @param leaves its leaves; others of a clause without a group exclude the vendor's own pages
 */
function restoreClause(text: string, leaves: readonly Leaf[], places: Places): ClauseSource {
  const [, group] = /^\{ (\w+): /.exec(text) ?? []
  if (group !== undefined && GROUPS.some((key) => key === group))
    return { [group]: leaves.map((leaf) => restorePlace(leaf, places)) }
  return restorePlace(leaves[0], places)
}

function restorePlace({ place, words, exact, from, ...leaf }: Leaf, places: Places): ClauseSource {
  const { is, has, under, match, version, attr, atLeast } = leaf
  const tests = { is, has, under, match, attr, atLeast }
  return {
    [place]: words,
    ...Object.fromEntries(Object.entries(tests).filter(([, value]) => value !== undefined)),
    ...(version !== undefined && { [typeof version === 'string' ? 'versionText' : 'version']: version }),
    ...(from !== undefined && from !== places.get(place)?.from && { from }),
    ...(exact && { case: 'exact' }),
  }
}
