import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { applyLogic } from '../engine/rule/logic.ts'
import type { CompiledRule, Leaf } from '../engine/rule/types.ts'
import { type PageHits, readHits } from '../engine/verdict/hits.ts'
import { buildLogicData, computeLevel, isSeen } from '../engine/verdict/score.ts'
import { detect, type Verdict } from '../index.ts'
import { explainTypeScore } from './explain-type.ts'

type Write = (text: string) => void

/** The text to print for a page, and the warnings of its scan. */
export interface Explanation {
  readonly text: string
  readonly warnings: readonly string[]
}

/** Explains clause by clause why the rules of a slug do or do not fire on a page. */
export function explainPage(ruleset: Ruleset, slug: string, input: PageInput): Explanation {
  const page = buildPage(input)
  const hits = readHits(ruleset, page)
  const verdict = detect(ruleset, page)
  const lines: string[] = []
  const write = (text: string): void => void lines.push(text)
  const found = ruleset.places.get(FOUND.key)
  if (found)
    for (const { slug, name } of verdict.evidence.filter(
      ({ chosen, kind }) => chosen && (kind === 'builder' || kind === 'technology'),
    ))
      hits.testFound(found, { name: slug, text: name })
  for (const rule of ruleset.rules.filter((one) => one.slug === slug)) {
    if (rule.typeClauses !== undefined) {
      write(explainTypeScore(ruleset, rule, page))
      continue
    }
    write(`${rule.kind} ${rule.slug} (${rule.name})\n`)
    explainClauses(rule, hits, ruleset, write)
    const own = verdict.evidence.find(({ kind, slug }) => kind === rule.kind && slug === rule.slug)
    const points = own?.points ?? applyLogic(rule.logic, buildLogicData(rule, hits, ruleset))
    const settled = own && own.level !== computeLevel(points) ? `; then ${own.level ?? 'dropped'}` : ''
    const note = own?.note ? ` (${own.note})` : ''
    write(
      `  ${points} points: ${computeLevel(points) ?? 'below low'}${settled}${note}; ${own?.chosen ? 'part of the result' : `not part of the result${formatOther(rule, verdict)}`}\n`,
    )
  }
  return { text: lines.join(''), warnings: verdict.warnings }
}

/** Names what the result contains instead, for a kind of which a result contains only one. */
function formatOther({ kind }: CompiledRule, verdict: Verdict): string {
  const names = { builder: verdict.builder, hosting: verdict.hosting, 'site-type': verdict.siteType, technology: null }
  return names[kind] === null ? '' : `, which contains ${names[kind]}`
}

function explainClauses(rule: CompiledRule, hits: PageHits, ruleset: Ruleset, write: Write): void {
  const data = buildLogicData(rule, hits, ruleset)
  for (const clause of rule.clauses) {
    const holds = Boolean(applyLogic(clause.holds, data))
    write(`  ${holds ? '✓' : '✗'} ${clause.weight} ${clause.family}: ${clause.text}\n`)
    for (const leaf of rule.leaves.filter(({ id }) => clause.leaves.includes(id))) {
      const { count = 0, values = [] } = hits.get(leaf) ?? {}
      const shown = values.map((value) => JSON.stringify(value.readExcerpt(100))).join(', ')
      const seen = isSeen(leaf, hits.page, ruleset) ? `${count} ${count === 1 ? 'hit' : 'hits'}` : 'not looked at'
      write(`      ${describe(leaf)}: ${seen}${shown ? `: ${shown}` : ''}\n`)
    }
  }
}

function describe({ place, words, positive, atLeast }: Leaf): string {
  return `${positive ? '' : 'not '}${place} ${words.join(' | ')}${atLeast ? ` (needs ${atLeast})` : ''}`
}
