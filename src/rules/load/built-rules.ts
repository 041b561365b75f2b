import { PackedRules } from '../../engine/lookup/packed-rules.ts'
import type { PackedRuleset } from '../../engine/lookup/ruleset.ts'
import type { Categories, ClauseSource, CompiledRule, RuleKind, RuleSource } from '../../engine/rule/types.ts'
import { SourceFile } from '../../yaml/source-file.ts'
import type { CheckedRule } from '../checks/rule-checks.ts'
import { type FoundRule, KINDS } from '../discover.ts'

/** Rules of a compiled ruleset in the form in which checks read those of YAML files. */
export interface BuiltRules {
  readonly rules: readonly CheckedRule[]
  readonly categories: Categories
}

const FOLDERS: ReadonlyMap<RuleKind, string> = new Map([...KINDS].map(([folder, kind]) => [kind, folder]))

/**
 * Restores rules from a compiled ruleset, so that rules of other folders can be checked against them: slugs, names, relations and
 * clauses are those of the YAML. Sources, dates, weights and tests are not part of a compiled ruleset.
 */
export function readBuiltRules({ sections, categories }: Pick<PackedRuleset, 'sections' | 'categories'>): BuiltRules {
  const packed = new PackedRules(sections.at('rules'))
  const rules = Array.from({ length: packed.count }, (_, i) => restoreRule(packed.get(i)))
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

function restoreRule(compiled: CompiledRule): CheckedRule {
  const found = nameRule(compiled)
  const { leaves, clauses, typeClauses = [], cdn, ...facts } = compiled
  const source: RuleSource = {
    ...facts,
    ...(cdn && { role: 'cdn' }),
    detect: readClauses(found.file, [...clauses, ...typeClauses]),
    source: [],
    verified: '',
  }
  // There is no text, so every position is the beginning of the file.
  const file = new SourceFile(found.file, { content: new Uint8Array(), known: { data: source, findings: [] } })
  return { found, file, findings: [], source, compiled }
}

/** Reads the clauses of a rule, which it keeps as they are written in its file. */
function readClauses(file: string, clauses: readonly { readonly text: string }[]): readonly ClauseSource[] {
  if (clauses.length === 0) return []
  const content = Buffer.from(clauses.map(({ text }) => `- ${text}\n`).join(''))
  return new SourceFile(file, { content }).data as readonly ClauseSource[]
}
