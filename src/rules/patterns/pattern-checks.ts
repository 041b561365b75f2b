import type { ClauseSource } from '../../engine/rule/types.ts'
import type { FindingCode } from '../findings.ts'
import { PatternJudge } from './pattern-judge.ts'

/** A fault of a `match`, and the key it stands at. */
interface PatternFault {
  readonly code: FindingCode
  readonly key: 'match' | 'version'
  readonly details: Readonly<Record<string, string | number>>
}

const PLAIN = /^(?:[^\\^$.*+?()[\]{}|]|\\[^\w\s])+$/
const WIDE = /^(?:\(\?:)?(?:\.|\\[sSwWdD]|\[\^?[^\]]*\])(?:[*+]|\{\d*,\d*\})/

/** Checks one regular expression: that it is one, that it is needed, that it is cheap, that its version is there. */
export function checkPattern(match: string, source: ClauseSource, judge = new PatternJudge()): PatternFault[] {
  let groups: number
  try {
    new RegExp(match) // First as it stands: its fault is told without what finds out its groups.
    groups = (new RegExp(`${match}|`).exec('')?.length ?? 1) - 1
  } catch (error) {
    const reason = (error as Error).message.replace(`Invalid regular expression: /${match}/: `, '')
    return [{ code: 'bad-pattern', key: 'match', details: { reason } }]
  }
  const instead = sayOtherwise(match)
  if (instead !== null) return [{ code: 'needless-pattern', key: 'match', details: { instead } }]
  const wide = WIDE.exec(match)
  if (wide) return [{ code: 'wide-pattern', key: 'match', details: { value: wide[0] } }]
  const faults: PatternFault[] = []
  const reason = judge.judge(match, source.case === 'exact' ? '' : 'i')
  if (reason !== null) faults.push({ code: 'unsafe-pattern', key: 'match', details: { reason } })
  if (source.version !== undefined && Number(source.version) > groups)
    faults.push({ code: 'version-group', key: 'version', details: { value: String(source.version) } })
  return faults
}

/** How `is`, `has` or `under` say what a pattern says; null when they cannot. */
function sayOtherwise(match: string): string | null {
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
