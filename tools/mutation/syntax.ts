import { type Program, parseSync } from 'oxc-parser'

/** A node of a syntax tree. Positions are offsets in the source text. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A node with the nodes around it. */
export interface SyntaxPosition {
  readonly node: SyntaxNode
  /** The property of the parent that contains the node. */
  readonly key: string
  readonly parent: SyntaxPosition | null
}

/** Expressions of TypeScript whose types are removed, and whose value is the inner expression. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'])

/** Parses a source file. @throws SyntaxError */
export function parseSource(file: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
  return toNode(program)
}

/** Lists the nodes that are evaluated at run time: no types, no imports, no names of properties. */
export function* walkEvaluated(
  node: SyntaxNode,
  key = '',
  parent: SyntaxPosition | null = null,
): Generator<SyntaxPosition, void, void> {
  if (node.type.startsWith('Import') || node.type === 'ExportAllDeclaration' || typeof node.directive === 'string')
    return
  if (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type)) return
  const position: SyntaxPosition = { node, key, parent }
  yield position
  for (const [name, value] of Object.entries(node)) {
    if (name === 'parent' || (name === 'key' && node.computed !== true)) continue
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* walkEvaluated(child, name, position)
  }
}

/** Whether a value is a node of a syntax tree. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function toNode(program: Program): SyntaxNode {
  if (!isNode(program)) throw new TypeError('the parser returned no syntax tree')
  return program
}
