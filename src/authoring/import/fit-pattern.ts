import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { checkPattern } from '../../rules/patterns/pattern-checks.ts'
import type { PatternJudge } from '../../rules/patterns/pattern-judge.ts'
import { findRequiredLiterals } from './required-literals.ts'

/** A pattern as a clause can have it. Each given part must hold. */
export interface FittedPattern {
  /** The expression; absent if a text says the same. */
  readonly match?: string
  /** The whole value. */
  readonly is?: string
  /** Texts of which the value contains one. */
  readonly has?: readonly string[]
  /** Number of the group of `match` that the version began as, in the new numbering. */
  readonly group?: (old: number) => number | null
  /** What was left out of the expression, so that it holds on more texts than before; absent if it means the same. */
  readonly cut?: string
}

const parser = new RegExpParser({ ecmaVersion: 2025 })
/** A shorter text occurs in most values. */
const MIN_PART_CHARACTERS = 3
/** What remains of a pattern that is cut must contain a text of this length: `.min.js` and `href=` are on most pages. */
const MIN_CUT_CHARACTERS = 5
/** A pattern that matches only one fixed text. */
const PLAIN = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\w\s])*$/

/**
 * Turns a regular expression into tests that the engine accepts: a text where that means the same, else the expression, else the
 * part of it that can be proved to be fast on any page.
 * @param needsGroups whether the capture groups must stay, for the version
 * @returns null if nothing of the expression can be used
 * @throws SyntaxError for an invalid expression
 */
export function fitPattern(source: string, needsGroups: boolean, judge: PatternJudge): FittedPattern | null {
  new RegExp(source, 'i')
  const trimmed = trimEnds(source, needsGroups)
  const plain = readPlain(trimmed)
  if (plain !== null) return plain
  for (const match of [trimmed, startAtNumber(trimmed, needsGroups), startAtValue(trimmed)])
    if (isAccepted(match, judge)) return { match, group: keepGroup }
  const closed = closeTags(trimmed)
  if (isAccepted(closed, judge))
    return { match: closed, group: keepGroup, cut: 'a part that may contain any character no longer contains <' }
  const cut =
    cutAtRepeats(trimmed, needsGroups, judge, isUnbounded) ?? cutAtRepeats(trimmed, needsGroups, judge, isVariable)
  if (cut !== null) return cut
  if (!needsGroups) return cutToLiterals(trimmed)
  const withoutVersion = fitPattern(source, false, judge)
  return withoutVersion === null ? null : { ...withoutVersion, group: () => null }
}

const keepGroup = (old: number): number => old

/** Lets a pattern that begins with a number begin at its first digit only: it matches the same texts. */
function startAtNumber(pattern: string, needsGroups: boolean): string {
  const isNumber = /^(?:\(\?:){0,9}\(?(?:\(\?:){0,9}(?:\\d|\[\\d|\[0-9)/.test(pattern)
  return needsGroups && isNumber ? `(?:^|[^\\d.])${pattern}` : pattern
}

/** Lets a pattern that begins with anything begin at the start of the value: it matches the same values of one line. */
function startAtValue(pattern: string): string {
  return /^\(\.[*+]/.test(pattern) ? `^${pattern}` : pattern
}

/** Reads a pattern that matches one fixed text, as a part of the value or as the whole value. */
function readPlain(pattern: string): FittedPattern | null {
  const isWhole = pattern.startsWith('^') && /(?:^|[^\\])\$$/.test(pattern)
  const bare = isWhole ? pattern.slice(1, -1) : pattern
  if (!PLAIN.test(bare)) return null
  const text = bare.replace(/\\(.)/g, '$1')
  if (text === '') return isWhole ? null : {}
  return isWhole ? { is: text } : { has: [text] }
}

function isAccepted(match: string, judge: PatternJudge): boolean {
  return checkPattern(match, {}, judge).every(({ code }) => code === 'needless-pattern')
}

/** In a pattern that begins a tag, no part may run into the next tag: this is what most of them mean by "anything". */
function closeTags(pattern: string): string {
  if (!/<[a-z!]/i.test(pattern)) return pattern
  return pattern
    .replace(/\[\^((?:[^\]\\<]|\\.){0,99})\](?=[*+]|\{\d+,)/g, '[^<$1]')
    .replace(/(^|[^\\])\.(?=[*+]|\{\d+,)/g, '$1[^<>]')
}

/** Removes what a pattern may match at its ends but need not: it holds on the same texts without it. */
function trimEnds(source: string, needsGroups: boolean): string {
  let pattern = source
  for (;;) {
    const shorter = trimOnce(pattern, needsGroups)
    if (shorter === pattern) return pattern
    pattern = shorter
  }
}

function trimOnce(pattern: string, needsGroups: boolean): string {
  const { alternatives } = parser.parsePattern(pattern)
  const { elements } = alternatives[0]
  if (alternatives.length !== 1 || elements.length === 0) return pattern
  const [first, second] = elements
  const last = elements[elements.length - 1]
  // `^.*` says nothing, because no test of ours depends on lines.
  if (isLineStart(first) && second?.type === 'Quantifier' && second.min === 0 && second.element.raw === '.')
    return pattern.slice(second.end)
  if (elements.length > 1 && last.type === 'Assertion' && last.kind === 'end') {
    const before = elements[elements.length - 2]
    if (before.type === 'Quantifier' && before.min === 0 && before.element.raw === '.')
      return pattern.slice(0, before.start)
  }
  if (isFree(first, needsGroups)) return repeatLeast(first) + pattern.slice(first.end)
  if (elements.length > 1 && isFree(last, needsGroups)) return pattern.slice(0, last.start) + repeatLeast(last)
  return pattern
}

function isLineStart(element: AST.Element): boolean {
  return element.type === 'Assertion' && element.kind === 'start'
}

/** Whether a part at an end may be repeated less often. */
function isFree(element: AST.Element, needsGroups: boolean): element is AST.Quantifier {
  if (element.type !== 'Quantifier' || element.min === element.max) return false
  return !(needsGroups && /\((?!\?[:=!<])|\(\?<[^=!]/.test(element.raw.replace(/\\./g, '')))
}

/** The part, repeated as often as it has to be. */
function repeatLeast({ min, element }: AST.Quantifier): string {
  if (min === 0) return ''
  return min === 1 ? element.raw : `${element.raw}{${min}}`
}

/** A part of a pattern between two repeats without a bound. */
interface PatternPart {
  readonly source: string
  /** Number of capture groups before it, and in it. */
  readonly before: number
  readonly groups: number
  readonly literals: readonly string[] | null
}

/**
 * Cuts a pattern where it repeats something without a bound: what stands before and after must both occur, in any order. Keeps the
 * part with the version, or else the most distinctive one, and the text that another part requires.
 */
function cutAtRepeats(
  pattern: string,
  needsGroups: boolean,
  judge: PatternJudge,
  isEnd: (element: AST.Quantifier) => boolean,
): FittedPattern | null {
  const { alternatives } = parser.parsePattern(pattern)
  const parts = alternatives.length === 1 ? listParts(pattern, alternatives[0].elements, isEnd) : []
  if (parts.length < 2) return null
  const rated = parts.filter(({ literals }) => literals !== null).sort((a, b) => rate(b) - rate(a))
  const [best] = rated
  if (best === undefined || rate(best) < MIN_CUT_CHARACTERS) return null
  const mains = needsGroups ? parts.filter(({ groups }) => groups > 0) : rated
  for (const main of mains) {
    const has = (main === best ? rated[1] : best)?.literals ?? undefined
    const source = trimEnds(main.source, needsGroups)
    const plain = readPlain(source)
    if (needsGroups && plain !== null) continue // The version would be lost.
    const cut = `it is cut to ${[source, ...(has === undefined ? [] : [has.join(' or ')])].join(' and ')}`
    if (plain?.has !== undefined)
      return has === undefined ? { ...plain, cut } : { has: plain.has, match: has.map(escapeText).join('|'), cut }
    const match = [source, closeTags(source)].find((one) => one !== '' && isAccepted(one, judge))
    if (match === undefined) continue
    const group = (old: number): number | null =>
      old > main.before && old <= main.before + main.groups ? old - main.before : null
    return { match, ...(has !== undefined && { has }), group, cut }
  }
  return null
}

/** Cuts a pattern to the texts that it requires. */
function cutToLiterals(pattern: string): FittedPattern | null {
  const has = findRequiredLiterals(pattern, MIN_CUT_CHARACTERS)
  return rate({ literals: has }) === 0 || has === null ? null : { has, cut: `it is cut to ${has.join(' or ')}` }
}

/** Splits a pattern at its alternatives: `a|b` and `(?:a|b)`. One without alternatives stays whole. */
export function splitAlternatives(source: string): readonly string[] {
  const { alternatives } = parser.parsePattern(source)
  if (alternatives.length > 1) return alternatives.map(({ raw }) => raw)
  const [first, ...rest] = alternatives[0].elements
  const isGroup = first?.type === 'Group' || first?.type === 'CapturingGroup'
  if (!isGroup || rest.length > 0 || first.alternatives.length < 2) return [source]
  return first.alternatives.map(({ raw }) => raw)
}

/** Whether a pattern may repeat a part without a bound, except groups. */
function isUnbounded({ max, element }: AST.Quantifier): boolean {
  return !Number.isFinite(max) && element.type !== 'CapturingGroup' && element.type !== 'Group'
}

/** Whether a pattern may repeat a part more or less often. */
function isVariable({ min, max }: AST.Quantifier): boolean {
  return min !== max
}

/** Splits a pattern at some of its repeats. */
function listParts(
  pattern: string,
  elements: readonly AST.Element[],
  isEnd: (element: AST.Quantifier) => boolean,
): PatternPart[] {
  const parts: PatternPart[] = []
  let start = 0
  let before = 0
  const end = (to: number): void => {
    const source = pattern.slice(start, to)
    const groups = countGroups(source)
    if (source !== '')
      parts.push({ source, before, groups, literals: findRequiredLiterals(source, MIN_PART_CHARACTERS) })
    before += groups
  }
  for (const element of elements) {
    if (element.type !== 'Quantifier' || !isEnd(element)) continue
    end(element.start)
    before += countGroups(element.raw)
    start = element.end
  }
  end(pattern.length)
  return parts
}

function countGroups(source: string): number {
  return (
    source
      .replace(/\\./g, '')
      .replace(/\[[^\]]{0,99}\]/g, '')
      .match(/\((?!\?[:=!]|\?<[=!])/g)?.length ?? 0
  )
}

/** What patterns of any product contain. */
const COMMON =
  /^(?:[^a-z0-9]|href|src|script|link|class|style|stylesheet|content|input|name|meta|img|div|rel|type|text|min|js|css|https?|www|com|param|embed|iframe|powered by|version)*$/

/** The length of the shortest text of which a part requires one; 0 if any page may have it. */
function rate({ literals }: Pick<PatternPart, 'literals'>): number {
  if (literals === null || literals.some((one) => COMMON.test(one))) return 0
  return Math.min(...literals.map((one) => one.length))
}

/** Writes a text as a pattern. */
function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
