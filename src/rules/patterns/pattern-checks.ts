import type { ClauseSource } from '../../engine/rule/types.ts'
import type { FindingCode } from '../findings.ts'
import { PatternJudge } from './pattern-judge.ts'
import { isGreedy, listGroups } from './version-group.ts'

/** A problem of a `match`, and the key at which it is reported. */
interface PatternProblem {
  readonly code: FindingCode
  readonly key: 'match' | 'version'
  readonly details: Readonly<Record<string, string | number>>
}

/** A pattern that matches only one fixed text. */
const PLAIN = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\w\s])+$/
/** A beginning that matches at nearly every position. */
const WIDE = /^(?:\(\?:)?(?:\.|\\[sSwWdD]|\[\^?[^\]]*\])(?:[*+]|\{\d*,\d*\})/

/** Checks that a regular expression is valid, necessary and cheap, and that it has the capture group of `version`. */
export function checkPattern(match: string, source: ClauseSource, judge = new PatternJudge()): PatternProblem[] {
  try {
    new RegExp(match)
  } catch (error) {
    const reason = (error as Error).message.replace(`Invalid regular expression: /${match}/: `, '')
    return [{ code: 'bad-pattern', key: 'match', details: { reason } }]
  }
  const instead = findSimplerTest(match)
  if (instead !== null) return [{ code: 'needless-pattern', key: 'match', details: { instead } }]
  const wide = WIDE.exec(match)
  if (wide) return [{ code: 'wide-pattern', key: 'match', details: { value: wide[0] } }]
  const problems: PatternProblem[] = []
  const reason = judge.judge(match, source.case === 'exact' ? '' : 'i')
  if (reason !== null) problems.push({ code: 'unsafe-pattern', key: 'match', details: { reason } })
  if (source.version === undefined) return problems
  const group = listGroups(match)[Number(source.version) - 1]
  if (group === undefined)
    problems.push({ code: 'version-group', key: 'version', details: { value: String(source.version) } })
  else if (isGreedy(group)) problems.push({ code: 'greedy-version', key: 'match', details: { value: group.raw } })
  return problems
}

/** Finds the `is`, `has` or `under` that means the same as a pattern; null if there is none. */
function findSimplerTest(match: string): string | null {
  const [, address] = /^\^https\??:(?:\\?\/){2}(.+?)$/.exec(match) ?? []
  const starts = match.startsWith('^')
  const ends = /(?:^|[^\\])\$$/.test(match)
  const bare = (address ?? match.slice(starts ? 1 : 0)).slice(0, ends ? -1 : undefined)
  if (!PLAIN.test(bare)) return null
  const text = bare.replace(/\\(.)/g, '$1')
  if (address !== undefined) return `under: ${text}${ends ? '' : '*'}`
  if (starts && ends) return `is: ${text}`
  return starts || ends ? null : `has: ${text}`
}
