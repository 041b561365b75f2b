import type { OrdinaryPage } from '../../authoring/ordinary-pages.ts'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import { buildPage, type PageInput } from '../../engine/page/page.ts'
import type { CompiledRule } from '../../engine/rule/types.ts'
import { readHits } from '../../engine/verdict/hits.ts'
import type { CheckedRule } from '../../rules/checks/rule-checks.ts'
import { findNetworkOf } from '../../rules/fixtures.ts'
import type { FileMemory } from '../../rules/load/file-memory.ts'

interface SelectContext {
  readonly ruleset: Ruleset
  readonly detectors: readonly Detector[]
  /** State of the files of the pages. */
  readonly state: string
  readonly memory: FileMemory | undefined
}

/** The positions of the ordinary pages that have a hit of a rule, and the state of the files of these pages. */
interface KnownHits {
  readonly state: string
  readonly pages: readonly number[]
}

const NAME = 'ordinary-hits'

/** Selects the ordinary pages that have something of some rules: only there can one of them fire. */
export function selectPages(
  pages: readonly OrdinaryPage[],
  rules: readonly CheckedRule[],
  { memory, state, ...context }: SelectContext,
): readonly OrdinaryPage[] {
  const known = rules.map((rule) => memory?.find<KnownHits>(rule.found, NAME))
  const found = known.flatMap((one) => (one?.state === state ? one.pages : []))
  const unknown = rules.filter((_, i) => known[i]?.state !== state)
  const hits = unknown.length === 0 ? [] : findHits(pages, unknown, context)
  for (const [i, rule] of unknown.entries())
    memory?.replace(rule.found, NAME, { state, pages: hits[i] } satisfies KnownHits)
  const selected = new Set([...found, ...hits.flat()])
  return pages.filter((_, i) => selected.has(i))
}

/** Lists for each rule the positions of the pages on which it has a hit. */
function findHits(
  pages: readonly OrdinaryPage[],
  rules: readonly CheckedRule[],
  { ruleset: { categories, version }, detectors }: Pick<SelectContext, 'ruleset' | 'detectors'>,
): readonly (readonly number[])[] {
  const compiled = rules.map((rule) => rule.compiled)
  const content = { rules: compiled.filter((one) => one !== null), categories, version }
  const few = Ruleset.of(content, detectors)
  const lifted = pages.map(({ input }) => listLifted(few, input))
  // The index decodes copies of the rules.
  const isOf = (rule: CompiledRule | null, one: CompiledRule): boolean =>
    one.kind === rule?.kind && one.slug === rule.slug
  return compiled.map((rule) =>
    lifted.flatMap((list, i) => (list === null || list.some((one) => isOf(rule, one)) ? i : [])),
  )
}

/** Lists the rules with a hit on a page; null for a page that cannot be read, which is reported when it is tested. */
function listLifted(ruleset: Ruleset, input: PageInput): readonly CompiledRule[] | null {
  try {
    const page = buildPage(findNetworkOf(input))
    return [...readHits(ruleset, page).lifted]
  } catch {
    return null
  }
}
