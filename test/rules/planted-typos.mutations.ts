import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { FOUND } from '../../src/engine/rule/clause.ts'
import { type CheckedRule, checkRule } from '../../src/rules/checks/rule-checks.ts'
import { checkSet } from '../../src/rules/checks/set-checks.ts'
import { FOREIGN_KEYS } from '../../src/rules/foreign-keys.ts'
import { PatternJudge } from '../../src/rules/patterns/pattern-judge.ts'
import { buildRuleSchema } from '../../src/rules/schema.ts'
import { splitDocuments } from '../../src/yaml/documents.ts'
import { SchemaValidator } from '../../src/yaml/schema-validator.ts'
import { SourceFile } from '../../src/yaml/source-file.ts'
import { checked, drawRules, isNoticed, places, runOwnTest } from './rule-trial.ts'

/** Lines whose text no test can judge: names, sentences, addresses and days, and clauses under a `not`, which need no page. */
const PROSE = /^(?:name|byName|about|description|website|source|verified|#)|^ +- (?:https?:|not:)/
/** Words that derived pages repeat as they are written: of a file, a part is compared with the names of its rule. */
const DERIVED = /^ +- \{? ?(?:global|tag|file):/
/**
 * A regular expression. `rule-mutants-even.mutations.ts` and `-odd` change each letter that every match must contain.
 */
const PATTERN = /match: /

/** Random numbers below 1 that are the same in each run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * Typing mistakes at a letter of a line: what was typed instead of the letter and the next one. Words whose last letter
 * is missing are omitted: `/wp-conten*` finds all that `/wp-content*` does, and only pages that are in no test would
 * show a difference.
 */
const TYPOS: readonly ((letter: string, next: string) => string)[] = [
  (letter, next) => next + letter,
  (letter, next) => letter + letter + next,
  (_, next) => next,
  (letter, next) => (letter === 'e' ? 'r' : 'e') + next,
]

interface Typo {
  readonly rule: CheckedRule
  readonly text: string
  /** The line before and after. */
  readonly change: string
}

function plantTypo(rule: CheckedRule, text: string, random: () => number): Typo | null {
  const lines = text.split('\n')
  const line = Math.floor(random() * lines.length)
  const was = lines[line].replace(/\s+#.*$/, '')
  const at = Math.floor(random() * was.length)
  const type = TYPOS[Math.floor(random() * TYPOS.length)]
  if (PROSE.test(was) || PATTERN.test(was) || DERIVED.test(was) || !/^[a-z]{2}[a-z]/i.test(was.slice(at))) return null
  const now = was.slice(0, at) + type(was[at], was[at + 1]) + was.slice(at + 2)
  if (now.toLowerCase() === was.toLowerCase()) return null
  lines[line] = now
  return { rule, text: lines.join('\n'), change: `${rule.found.file}:${line + 1} ${was.trim()} → ${now.trim()}` }
}

/** Draws a mistake for a rule, or none. Only the name of the rule decides what is drawn, so other rules do not change it. */
function drawTypo(rule: CheckedRule): Typo | null {
  const { kind, slug, file } = rule.found
  const random = createRandom(createHash('sha256').update(`${kind}/${slug}`).digest().readUInt32BE())
  const text = splitDocuments(readFileSync(file, 'utf8')).first
  for (let tries = 0; tries < 1000; tries++) {
    const typo = plantTypo(rule, text, random)
    if (typo !== null) return typo
  }
  return null
}

/** Of this many rules, one is judged. */
const SHARE = 8

test('lint or the tests of a rule notice a typing mistake', () => {
  const rules = drawRules(SHARE).filter(({ found }) => found.kind !== 'site-type')
  const typos = rules.flatMap((rule) => drawTypo(rule) ?? [])
  expect(typos.length).toBeGreaterThan(0.9 * rules.length)
  const judge = new PatternJudge({})
  const validator = new SchemaValidator(buildRuleSchema([...detectors, FOUND]), { foreignKeys: FOREIGN_KEYS })
  const context = { validator, places, categories: checked.categories, judge }
  const unnoticed = typos.filter(({ rule, text }) => {
    const file = new SourceFile(rule.found.file, { content: Buffer.from(text), document: 'first' })
    const changed = checkRule(rule.found, file, context)
    const { source } = changed
    const others = checked.rules.map((one) => (one === rule ? changed : one))
    if (source === null || checkSet(others, checked.categories).length > 0) return false
    return !isNoticed(rule, source, runOwnTest(rule))
  })
  judge.close()
  expect(unnoticed.map(({ change }) => change)).toEqual([])
})
