import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type Program, parseSync } from 'oxc-parser'

/** A regular expression that the source code contains. */
export interface SourcePattern {
  /** File and line, relative to the folder of the project. */
  readonly place: string
  readonly pattern: string
  readonly flags: string
}

/** A regular expression that is built at run time from values that the source code does not show. */
interface DynamicPattern {
  readonly place: string
  readonly file: string
  /** The expression that builds it. */
  readonly code: string
}

export interface FoundPatterns {
  readonly known: readonly SourcePattern[]
  readonly dynamic: readonly DynamicPattern[]
}

interface CodeNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** Flags that Ajv uses for the `pattern` of a schema. */
const SCHEMA_FLAGS = 'u'
/** String methods that compile their argument. */
const COMPILING_METHODS = new Set(['match', 'matchAll', 'search'])

/**
 * Finds the regular expressions of all TypeScript files in folders of the project: literals, calls of `RegExp` with texts that
 * the file shows, and `pattern` of JSON Schemas. All others are reported as dynamic.
 * @param root the folder of the project
 */
export function findPatterns(root: string, folders: readonly string[]): FoundPatterns {
  const found = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort()
      .map((file) => findInSource(file, readFileSync(join(root, file), 'utf8'))),
  )
  return { known: found.flatMap(({ known }) => known), dynamic: found.flatMap(({ dynamic }) => dynamic) }
}

/** Finds the regular expressions of one source file. */
export function findInSource(file: string, source: string): FoundPatterns {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
  const constants = findTextConstants(program)
  const known: SourcePattern[] = []
  const dynamic: DynamicPattern[] = []
  for (const node of walkNodes(program as unknown as CodeNode)) {
    const place = `${file}:${source.slice(0, node.start).split('\n').length}`
    const literal = node.type === 'Literal' ? (node.regex as { pattern: string; flags: string } | undefined) : undefined
    if (literal) known.push({ place, pattern: literal.pattern, flags: literal.flags })
    const compiled = findCompiledText(node)
    if (compiled === null) continue
    const [pattern, flags] = [readStaticText(compiled.pattern, constants), readStaticText(compiled.flags, constants)]
    if (pattern !== null && flags !== null) known.push({ place, pattern, flags })
    else dynamic.push({ place, file, code: source.slice(node.start, node.end) })
  }
  return { known, dynamic }
}

function* walkNodes(node: CodeNode): Generator<CodeNode> {
  yield node
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && typeof child.type === 'string')
        yield* walkNodes(child as CodeNode)
}

/** The texts that a node compiles to a regular expression; null for most nodes. */
function findCompiledText(node: CodeNode): { readonly pattern: unknown; readonly flags: unknown } | null {
  const [first, second] = (node.arguments ?? []) as readonly CodeNode[]
  const callee = node.callee as CodeNode | undefined
  if ((node.type === 'NewExpression' || node.type === 'CallExpression') && callee?.name === 'RegExp')
    return { pattern: first, flags: second ?? '' }
  const method = (callee?.property as CodeNode | undefined)?.name
  if (node.type === 'CallExpression' && COMPILING_METHODS.has(String(method)) && isText(first))
    return { pattern: first, flags: method === 'matchAll' ? 'g' : '' }
  const isSchema =
    node.type === 'Property' && (node.key as CodeNode).name === 'pattern' && isText(node.value as CodeNode)
  return isSchema ? { pattern: node.value, flags: SCHEMA_FLAGS } : null
}

function isText(node: CodeNode | undefined): boolean {
  return node?.type === 'TemplateLiteral' || (node?.type === 'Literal' && typeof node.value === 'string')
}

/** Finds the constants of a file that are plain texts. */
function findTextConstants(program: Program): ReadonlyMap<string, string> {
  const constants = new Map<string, string>()
  for (const node of walkNodes(program as unknown as CodeNode)) {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') continue
    for (const { id, init } of node.declarations as readonly { id: CodeNode; init: CodeNode | null }[]) {
      const text = init === null ? null : readStaticText(init, constants)
      if (text !== null && typeof id.name === 'string') constants.set(id.name, text)
    }
  }
  return constants
}

/** Reads the text of an expression; null if the file does not show all of it. */
function readStaticText(value: unknown, constants: ReadonlyMap<string, string>): string | null {
  if (typeof value === 'string') return value
  const node = value as CodeNode | undefined
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'Identifier') return constants.get(String(node.name)) ?? null
  if (node?.type !== 'TemplateLiteral') return null
  const texts = (node.quasis as readonly { value: { cooked: string } }[]).map((quasi) => quasi.value.cooked)
  const inner = (node.expressions as readonly CodeNode[]).map((expression) => readStaticText(expression, constants))
  return inner.includes(null) ? null : texts.map((text, i) => text + (inner[i] ?? '')).join('')
}
