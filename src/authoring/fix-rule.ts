import { isDeepStrictEqual } from 'node:util'
import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { CLAUSE_KEYS } from '../rules/schema.ts'
import { applyEdits, type TextEdit } from '../yaml/text-edits.ts'

/** Order of the keys of a rule. */
const RULE_ORDER =
  'name state by byName ofSite website about category aiNative hosting role imported implies usual requires excludes description prior fitted thin unnamed detect source verified'
/** Order of the keys of a clause after its place. */
const CLAUSE_ORDER = 'attr is under has from match version versionText case atLeast all any of not weight points fitted'
const SLUG_LISTS = ['implies', 'usual', 'requires', 'excludes']

/** A position in a file. Lines and columns count from 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/**
 * Corrects what needs no decision: the order of keys, the order of slugs in relations, double quotes where single ones do, and
 * weights that are the default anyway. Everything else stays as written, comments included.
 * @param needless positions of the weights to remove
 * @returns the text unchanged if it is not valid YAML
 */
export function fixRule(text: string, needless: readonly TextPosition[]): string {
  if (parse(text).errors.length > 0) return text
  const fixed = [fixQuotes, sortSlugs, sortClauseKeys, sortRuleKeys].reduce(
    (before, step) => keepMeaning(before, step(before)),
    removeWeights(text, needless),
  )
  return fixed
}

function parse(text: string, lineCounter = new LineCounter()) {
  return parseDocument(text, { schema: 'failsafe', lineCounter })
}

/** Returns the new text if it has the same data as the old one, apart from the order of slugs and keys; else the old one. */
function keepMeaning(before: string, after: string): string {
  return before === after || isDeepStrictEqual(readData(before), readData(after)) ? after : before
}

function readData(text: string): unknown {
  const data = (parse(text).toJS() ?? {}) as Readonly<Record<string, unknown>>
  const lists = SLUG_LISTS.filter((key) => Array.isArray(data[key])).map((key) => [key, [data[key]].flat().sort()])
  return { ...data, ...Object.fromEntries(lists) }
}

/** Finds the offsets at which the text of a node begins and ends. */
function rangeOf(node: unknown, text: string): readonly [start: number, end: number] {
  const [start, end] = (node as Node | null)?.range ?? [0, 0]
  return [start, start + text.slice(start, end).trimEnd().length]
}

function removeWeights(text: string, needless: readonly TextPosition[]): string {
  if (needless.length === 0) return text
  const lines = new LineCounter()
  const edits: TextEdit[] = []
  visit(parse(text, lines), {
    Map: (_, map) => {
      const i = map.items.findIndex(({ key }) => isScalar(key) && key.value === 'weight')
      const start = i < 1 ? null : rangeOf(map.items[i].value, text)[0]
      if (start === null) return
      const { line, col } = lines.linePos(start)
      if (!needless.some((at) => at.line === line && at.column === col)) return
      const before = map.items[i - 1]
      const range = { start: rangeOf(before.value ?? before.key, text)[1], end: rangeOf(map.items[i].value, text)[1] }
      // A comment between the two keys may belong to either of them.
      if (!text.slice(range.start, range.end).includes('#')) edits.push({ ...range, text: '' })
    },
  })
  return applyEdits(text, edits)
}

function fixQuotes(text: string): string {
  const edits: TextEdit[] = []
  visit(parse(text), {
    Scalar: (_, node) => {
      const [start, end] = rangeOf(node, text)
      const isSimple = !/['\\\n]/.test(text.slice(start, end))
      if (node.type === Scalar.QUOTE_DOUBLE && isSimple) edits.push({ start, end, text: `'${node.value}'` })
    },
  })
  return applyEdits(text, edits)
}

function sortSlugs(text: string): string {
  const { contents } = parse(text)
  if (!isMap(contents)) return text
  const lists = contents.items.filter(({ key }) => isScalar(key) && SLUG_LISTS.includes(String(key.value)))
  const edits = lists.flatMap(({ value }) => (isSeq(value) ? reorder(value.items, text, String) : []))
  return applyEdits(text, edits)
}

/** Sorts nodes by exchanging their texts. Nodes with a comment between them stay as they are. */
function reorder<Item>(items: readonly Item[], text: string, rank: (item: Item) => string): TextEdit[] {
  const ranges = items.map((item) =>
    isPair(item)
      ? ([rangeOf(item.key, text)[0], rangeOf(item.value ?? item.key, text)[1]] as const)
      : rangeOf(item, text),
  )
  const hasComment = ranges.slice(1).some(([start], i) => text.slice(ranges[i][1], start).includes('#'))
  const ranked = items.map((item, i) => ({ rank: rank(item), range: ranges[i] }))
  const sorted = [...ranked].sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0))
  if (hasComment || sorted.every((one, i) => one === ranked[i])) return []
  return sorted.map(({ range }, i) => ({ start: ranges[i][0], end: ranges[i][1], text: text.slice(...range) }))
}

/** Sorts the keys of the first clause that needs it, until none does: the texts of clauses contain those of inner clauses. */
function sortClauseKeys(text: string): string {
  for (let current = text; ; ) {
    let edits: TextEdit[] = []
    visit(parse(current), {
      Map: (_, map, path) => {
        if (path.some((outer) => isPair(outer) && isScalar(outer.key) && outer.key.value === 'detect'))
          edits = reorder(map.items, current, ({ key }) => rankClauseKey(String(key)))
        return edits.length > 0 ? visit.BREAK : undefined
      },
    })
    if (edits.length === 0) return current
    current = applyEdits(current, edits)
  }
}

/** A text that sorts like the position of a key in a clause. */
function rankClauseKey(key: string): string {
  return CLAUSE_KEYS.includes(key) ? String(1 + CLAUSE_ORDER.split(' ').indexOf(key)).padStart(2, '0') : '00'
}

/** Sorts the keys of a rule together with the comments above them. Comments above the first key are those of the file. */
function sortRuleKeys(text: string): string {
  const { contents } = parse(text)
  if (!isMap(contents) || contents.flow) return text
  const starts = findChunks(contents, text)
  const order = RULE_ORDER.split(' ')
  const chunks = contents.items.map(({ key }, i) => ({
    rank: order.indexOf(String(key)),
    text: text.slice(starts[i], starts[i + 1]).replace(/([^\n])$/, '$1\n'),
  }))
  if (chunks.some(({ rank }) => rank < 0) || chunks.every(({ rank }, i) => i === 0 || chunks[i - 1].rank <= rank))
    return text
  const sorted = [...chunks].sort((a, b) => a.rank - b.rank)
  return text.slice(0, starts[0]) + sorted.map((chunk) => chunk.text).join('')
}

/** Offsets at which the lines of each key begin, and the end of the text. */
function findChunks(map: YAMLMap, text: string): number[] {
  const starts = map.items.map(({ key }, i) => {
    let start = text.lastIndexOf('\n', rangeOf(key, text)[0] - 1) + 1
    while (i > 0 && start > 0) {
      const above = text.lastIndexOf('\n', start - 2) + 1
      if (!/^#/.test(text.slice(above, start))) break
      start = above
    }
    return start
  })
  return [...starts, text.length]
}
