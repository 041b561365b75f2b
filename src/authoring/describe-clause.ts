import { type Places, toList } from '../engine/rule/clause.ts'
import type { Place, WordKind } from '../engine/rule/place.ts'
import type { ClauseSource } from '../engine/rule/types.ts'

/** The preposition between a place and its word. */
const JOINS: Readonly<Record<WordKind, string>> = {
  name: 'named',
  value: 'equal to',
  locator: 'under',
  literal: 'containing',
  selector: 'matching',
  path: 'of type',
}

/** Describes a checked clause in words: `the URL of a script under /kiln.js, of the site itself`. */
export function describeClause(clause: ClauseSource, places: Places): string {
  const describeAll = (key: string, separator: string): string =>
    toList<ClauseSource>(clause[key])
      .map((inner) => describeClause(inner, places))
      .join(separator)
  if ('not' in clause) return `not (${describeAll('not', '')})`
  if ('all' in clause) return `all of: ${describeAll('all', '; ')}`
  if ('any' in clause) return `any of: ${describeAll('any', '; ')}`
  if ('of' in clause) return `at least ${clause.atLeast} of: ${describeAll('of', '; ')}`
  const place = [...places.values()].find(({ key }) => key in clause)
  if (place === undefined) throw new TypeError(`no place in ${JSON.stringify(clause)}`)
  return [describePlace(clause, place), ...describeTests(clause, place)].join(', ')
}

function describePlace(clause: ClauseSource, place: Place): string {
  const subject = place.about.split(/[,;:(]/)[0].trim()
  const join = place.isAmount ? 'of' : place.names ? 'for' : JOINS[place.word]
  return `${subject[0].toLowerCase()}${subject.slice(1)} ${join} ${listWords(clause[place.key])}`
}

function describeTests(clause: ClauseSource, place: Place): string[] {
  const value = 'attr' in clause ? `whose attribute ${clause.attr}` : 'whose value'
  const unit = place.isAmount === true ? '' : ' times'
  return [
    'is' in clause && `${value} is ${listWords(clause.is)}`,
    'has' in clause && `${value} contains ${listWords(clause.has)}`,
    'under' in clause && `${value} is a URL under ${listWords(clause.under)}`,
    'match' in clause && `${value} matches ${clause.match}`,
    'version' in clause && `group ${clause.version} is the version`,
    'attr' in clause && !['is', 'has', 'under', 'match'].some((key) => key in clause) && `${value} exists`,
    clause.from === 'own' && 'of the site itself',
    clause.from === 'other' && 'of another site',
    clause.case === 'exact' && 'in exactly this case',
    'atLeast' in clause && `at least ${clause.atLeast}${unit}`,
  ].filter((text) => text !== false)
}

function listWords(words: unknown): string {
  return toList<unknown>(words).map(String).join(' or ')
}
