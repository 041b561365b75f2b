import { mutatePattern } from './patterns.ts'
import { isNode, type SyntaxNode, type SyntaxPosition } from './syntax.ts'

/** Replaces the part of a source text from `start` to `end`. */
export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns the source text of a node. */
export type ReadText = (node: SyntaxNode) => string

type MutationOperator = (position: SyntaxPosition, read: ReadText) => readonly Replacement[]

const BINARY: ReadonlyMap<unknown, readonly string[]> = new Map(
  Object.entries({
    '<': ['<=', '>='],
    '<=': ['<', '>'],
    '>': ['>=', '<='],
    '>=': ['>', '<'],
    '===': ['!=='],
    '!==': ['==='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '%': ['*'],
    '&': ['|'],
    '|': ['&'],
    '<<': ['>>'],
    '>>': ['<<'],
    '&&': ['||'],
    '||': ['&&'],
    '??': ['&&'],
  }),
)

const ASSIGNMENTS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    '+=': '-=',
    '-=': '+=',
    '*=': '/=',
    '/=': '*=',
    '|=': '&=',
    '&=': '|=',
    '??=': '&&=',
    '||=': '&&=',
    '&&=': '||=',
  }),
)

/** Methods that are replaced by another one. */
const METHODS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
    min: 'max',
    max: 'min',
    toLowerCase: 'toUpperCase',
    toUpperCase: 'toLowerCase',
    indexOf: 'lastIndexOf',
    lastIndexOf: 'indexOf',
  }),
)

/** Methods whose call is replaced by the value they are called on. */
const DROPPED_METHODS = new Set([
  'trim',
  'trimStart',
  'trimEnd',
  'slice',
  'filter',
  'sort',
  'reverse',
  'toSorted',
  'normalize',
])

/** Larger numbers are mostly limits, where one more or less changes nothing that a test should know. */
const MAX_NUMBER = 16

/** Operators by the type of the node that they change. */
const OPERATORS: Readonly<Partial<Record<string, MutationOperator>>> = {
  BinaryExpression: mutateBinary,
  LogicalExpression: mutateBinary,
  UnaryExpression: ({ node }, read) =>
    (node.operator === '!' || node.operator === '-') && isNode(node.argument)
      ? [replace(node, `(${read(node.argument)})`)]
      : [],
  UpdateExpression: ({ node }, read) => {
    if (!isNode(node.argument)) return []
    const [operator, name] = [node.operator === '++' ? '--' : '++', read(node.argument)]
    return [replace(node, node.prefix === true ? operator + name : name + operator)]
  },
  AssignmentExpression: ({ node }, read) => {
    const { left, right, operator } = node
    const other = ASSIGNMENTS.get(operator)
    if (other === undefined || !isNode(left) || !isNode(right)) return []
    return [replace(node, `${read(left)} ${other} ${read(right)}`)]
  },
  IfStatement: mutateCondition,
  ConditionalExpression: mutateCondition,
  WhileStatement: mutateCondition,
  ForStatement: mutateCondition,
  Literal: mutateLiteral,
  TemplateLiteral: ({ node, key }) => (key === 'quasi' ? [] : [replace(node, "''")]),
  ArrayExpression: ({ node }) => (isEmpty(node.elements) ? [] : [replace(node, '[]')]),
  ObjectExpression: ({ node }) => (isEmpty(node.properties) ? [] : [replace(node, '({})')]),
  BlockStatement: ({ node, parent }) =>
    isEmpty(node.body) || /^(?:Try|Catch)/.test(parent?.node.type ?? '') ? [] : [replace(node, '{}')],
  ArrowFunctionExpression: ({ node: { body } }) =>
    isNode(body) && body.type !== 'BlockStatement' ? [replace(body, 'undefined')] : [],
  ExpressionStatement: ({ node: { expression } }, read) =>
    isNode(expression) && !/^super\b/.test(read(expression)) ? [replace(expression, 'undefined')] : [],
  CallExpression: mutateCall,
  MemberExpression: mutateOptional,
}

/** Lists the changes of one node. */
export function mutateNode(position: SyntaxPosition, read: ReadText): readonly Replacement[] {
  return OPERATORS[position.node.type]?.(position, read) ?? []
}

function replace({ start, end }: SyntaxNode, text: string): Replacement {
  return { start, end, text }
}

function isEmpty(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0
}

function mutateBinary({ node }: SyntaxPosition, read: ReadText): readonly Replacement[] {
  const { left, right, operator } = node
  if (!isNode(left) || !isNode(right)) return []
  const isText = [left, right].some((side) => side.type === 'TemplateLiteral' || typeof side.value === 'string')
  if (operator === '+' && isText) return []
  // JavaScript does not mix ?? and && without parentheses.
  const first = operator === '??' ? `(${read(left)})` : read(left)
  return (BINARY.get(operator) ?? []).map((other) => replace(node, `(${first} ${other} ${read(right)})`))
}

function mutateCondition({ node }: SyntaxPosition): readonly Replacement[] {
  const { test } = node
  if (!isNode(test)) return []
  // A loop whose condition is always true only costs the time limit.
  const values = node.type === 'IfStatement' || node.type === 'ConditionalExpression' ? ['true', 'false'] : ['false']
  return values.map((value) => replace(test, value))
}

function mutateLiteral({ node }: SyntaxPosition): readonly Replacement[] {
  const { value, regex } = node
  if (typeof value === 'boolean') return [replace(node, String(!value))]
  if (typeof value === 'string') return [replace(node, value === '' ? "'mutant'" : "''")]
  if (typeof value === 'number')
    return Number.isInteger(value) && value <= MAX_NUMBER ? [replace(node, String(value + 1))] : []
  if (typeof regex !== 'object' || regex === null || !('pattern' in regex) || !('flags' in regex)) return []
  return mutatePattern(String(regex.pattern), String(regex.flags)).map((text) => replace(node, text))
}

function mutateCall(position: SyntaxPosition, read: ReadText): readonly Replacement[] {
  const { node } = position
  const { callee } = node
  if (!isNode(callee) || callee.type !== 'MemberExpression') return mutateOptional(position, read)
  const { object, property, computed } = callee
  if (!isNode(object) || !isNode(property) || computed === true) return mutateOptional(position, read)
  const name = read(property)
  const other = METHODS.get(name)
  const others = other === undefined ? [] : [replace(property, other)]
  const dropped = DROPPED_METHODS.has(name) && callee.optional !== true ? [replace(node, read(object))] : []
  return [...others, ...dropped, ...mutateOptional(position, read)]
}

/** `a?.b` becomes `a.b`. */
function mutateOptional({ node }: SyntaxPosition, read: ReadText): readonly Replacement[] {
  const object = node.type === 'CallExpression' ? node.callee : node.object
  if (node.optional !== true || !isNode(object)) return []
  const rest = read(node).slice(object.end - node.start)
  const text = rest.replace('?.', node.type === 'CallExpression' || node.computed === true ? '' : '.')
  return [replace(node, read(object) + text)]
}
