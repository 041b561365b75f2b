import { type Places, toList } from '../engine/rule/clause.ts'
import type { ClauseSource, RuleSource } from '../engine/rule/types.ts'
import { squeeze } from '../engine/text/text.ts'
import { buildFinding, type Finding } from '../rules/findings.ts'
import type { Fixture } from '../rules/fixtures.ts'
import { GROUPS, TESTS } from '../rules/schema.ts'

/** Keys of a clause whose values are not words. */
const SETTINGS: readonly string[] = [...GROUPS, ...TESTS, 'atLeast', 'weight', 'points', 'fitted'].filter(
  (key) => !['is', 'has', 'under', 'match', 'attr'].includes(key),
)
/** Minimum length of a word and of its parts, in letters and digits: shorter ones occur in every page. */
const MIN_WORD_LENGTH = 3
const MIN_PART_LENGTH = 4
/** Words of markup and addresses that say nothing about a product. */
const COMMON = new Set(
  (
    'html head body meta link title script style span form input button image img video href content name type class value ' +
    'https http www data text main index page pages site sites website assets asset static public files file media images ' +
    'upload uploads styles scripts lib libs dist build core with from this that server cache version property module'
  ).split(' '),
)

/**
 * Reports misses that share no word with their rule: any rule passes them, so they show nothing. A rule that looks into scripts
 * or style sheets needs a miss in which one of them mentions the product.
 */
export function checkMisses(source: RuleSource | null, fixtures: readonly Fixture[], places: Places): Finding[] {
  if (source === null) return []
  return [...findFarMisses(source, fixtures), ...checkQuotes(source, fixtures, places)]
}

function checkQuotes({ name, slug, detect }: RuleSource, fixtures: readonly Fixture[], places: Places): Finding[] {
  const misses = fixtures.filter(({ hit }) => hit === null)
  if (misses.length === 0 || !detect.some((clause) => readsBodies(clause, places))) return []
  const names = [squeeze(name), squeeze(slug)]
  const isQuoted = misses.some(({ input: { scripts, styles } }) => {
    const text = squeeze([...(scripts ?? []), ...(styles ?? [])].map((body) => body.text).join(' '))
    return names.some((one) => text.includes(one))
  })
  return isQuoted ? [] : [buildFinding('no-quoting-miss', misses[0].file.keyAt(['misses']), { name })]
}

/** Whether a clause, or one inside it, looks for literals in scripts or style sheets. */
function readsBodies(clause: ClauseSource, places: Places): boolean {
  return Object.entries(clause).some(([key, value]) =>
    GROUPS.some((group) => group === key)
      ? toList<ClauseSource>(value).some((inner) => readsBodies(inner, places))
      : places.get(key)?.windowCharacters !== undefined,
  )
}

function findFarMisses({ name, slug, detect }: RuleSource, fixtures: readonly Fixture[]): Finding[] {
  const names = [squeeze(name), ...splitWords(name), ...splitWords(slug)]
  return fixtures
    .filter(({ hit, input }) => hit === null && !isNear(names, detect, listTexts(input).join(' ')))
    .map(({ file, path }) => buildFinding('far-miss', file.valueAt(path)))
}

function isNear(names: readonly string[], detect: readonly ClauseSource[], text: string): boolean {
  // A word has only letters and digits: a text that contains it also contains it when squeezed, which takes longer. So do the
  // words of the clauses, and nearly all misses mention the name.
  const lower = text.toLowerCase()
  if (names.some((name) => lower.includes(name))) return true
  const squeezed = squeeze(text)
  return [...names, ...detect.flatMap(listWords)].some((word) => squeezed.includes(word))
}

/** Lists the names and texts of a page. */
function listTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)]
  return Object.entries(value).flatMap(([key, inner]) => [key, ...listTexts(inner)])
}

/** Lists the words that a clause looks for, also under a `not`. */
function listWords(clause: ClauseSource): string[] {
  return Object.entries(clause).flatMap(([key, value]) => {
    if (GROUPS.some((group) => group === key)) return toList<ClauseSource>(value).flatMap(listWords)
    return SETTINGS.includes(key) ? [] : toList<string>(value).flatMap((word) => splitWords(String(word)))
  })
}

/** Splits a name, locator, selector or pattern into words that can be recognized on a page, and adds the whole. */
function splitWords(text: string): string[] {
  const parts = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const whole = squeeze(text)
  const long = parts.filter((part) => part.length >= MIN_PART_LENGTH)
  return [...long, ...(whole.length >= MIN_WORD_LENGTH ? [whole] : [])].filter((part) => !COMMON.has(part))
}
