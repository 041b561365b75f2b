import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml'
import type { TypePoints } from '../../engine/rule/types.ts'
import { applyEdits, type TextEdit } from '../../yaml/text-edits.ts'

/** Points by clause, in the order of the file, and the prior of a rule. */
export interface RulePoints {
  readonly prior: number
  readonly clauses: readonly TypePoints[]
}

/**
 * Writes the prior and the points of a site type into the text of its file. Comments, order and line breaks stay as they are. A
 * clause without points loses its key `points`.
 * @throws TypeError if the text is not a rule with as many clauses as points
 */
export function writePoints(text: string, { prior, clauses }: RulePoints): string {
  const { contents } = parseDocument(text, { schema: 'failsafe' })
  const detect = isMap(contents) ? contents.get('detect') : undefined
  if (!isMap(contents) || !isSeq(detect) || detect.items.length !== clauses.length)
    throw new TypeError(`a rule with ${clauses.length} clauses is needed`)
  const edits = detect.items.flatMap((clause, i) => (isMap(clause) ? editClause(clause, text, clauses[i]) : []))
  edits.push(editPrior(contents, text, prior))
  return applyEdits(text, edits)
}

function editPrior(rule: YAMLMap, text: string, prior: number): TextEdit {
  const known = findPair(rule, 'prior')
  if (known !== undefined) {
    const [start, end] = findRange(known.value, text)
    return { start, end, text: String(prior) }
  }
  const [start] = findRange(findPair(rule, 'detect')?.key, text)
  return { start, end: start, text: `prior: ${prior}\n` }
}

function editClause(clause: YAMLMap, text: string, points: TypePoints): TextEdit[] {
  const list = Object.entries(points).map(([slug, value]) => `${slug}: ${value}`)
  const value = `{ ${list.join(', ')} }`
  const known = findPair(clause, 'points')
  if (known !== undefined && list.length > 0) {
    const [start, end] = findRange(known.value, text)
    return [{ start, end, text: value }]
  }
  const before = clause.items.filter((pair) => pair !== known).at(-1)
  const [first] = findRange(clause.items[0].key, text)
  const [, last] = findRange(before?.value, text)
  if (known !== undefined) return [{ start: last, end: findRange(known.value, text)[1], text: '' }]
  if (list.length === 0) return []
  const column = first - (text.lastIndexOf('\n', first - 1) + 1)
  return [
    { start: last, end: last, text: clause.flow ? `, points: ${value}` : `\n${' '.repeat(column)}points: ${value}` },
  ]
}

function findPair(map: YAMLMap, name: string) {
  return map.items.find(({ key }) => isScalar(key) && key.value === name)
}

/** Finds the offsets at which the text of a node begins and ends, without white space and comments after it. */
function findRange(node: unknown, text: string): readonly [start: number, end: number] {
  const [start, end] = (node as Node | null | undefined)?.range ?? [0, 0]
  return [start, start + text.slice(start, end).trimEnd().length]
}
