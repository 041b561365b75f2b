import { createHash } from 'node:crypto'
import { mutateNode, type Replacement } from './operators.ts'
import { parseSource, type SyntaxNode, type SyntaxPosition, walkEvaluated } from './syntax.ts'

/** A small change of a source file, which a test should notice. */
export interface Mutant {
  /** Path from the folder of the project. */
  readonly file: string
  readonly line: number
  readonly original: string
  readonly replacement: string
  readonly change: Replacement
  /** The node that is evaluated if, and only if, the change can have an effect. */
  readonly anchor: { readonly start: number; readonly end: number; readonly kind: 'expression' | 'statement' | 'block' }
  /** Decides whether the mutant belongs to a sample: the lowest numbers do. Depends on the seed and the line of the mutant. */
  readonly rank: string
}

/** Lists the mutants of a source file. */
export function listMutants(file: string, source: string, seed: number): Mutant[] {
  const read = ({ start, end }: SyntaxNode): string => source.slice(start, end)
  const known = new Map<string, number>()
  return [...walkEvaluated(parseSource(file, source))].flatMap((position) =>
    mutateNode(position, read).map((change) => {
      const [original, line] = [source.slice(change.start, change.end), readLine(source, change.start)]
      const key = [seed, file, line, original, change.text].join('\0')
      const repetition = known.get(key) ?? 0
      known.set(key, repetition + 1)
      return {
        file,
        line: source.slice(0, change.start).split('\n').length,
        original,
        replacement: change.text,
        change: { ...change, text: protect(position, change) },
        anchor: findAnchor(position, change),
        rank: createHash('sha256').update(`${key}\0${repetition}`).digest('hex'),
      }
    }),
  )
}

/** Builds the source text of a file with a mutant. */
export function plantMutant(source: string, { change: { start, end, text } }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end)
}

/** Draws mutants. An edit of a line changes which of its mutants are drawn, and hardly any others. */
export function drawMutants(mutants: readonly Mutant[], count: number): Mutant[] {
  return [...mutants].sort((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, count)
}

/**
 * Builds the source text of a file that notes where a mutant could have an effect.
 * @param buildNote builds the expression that notes the indexes of mutants
 */
export function instrument(
  source: string,
  mutants: readonly Mutant[],
  buildNote: (indexes: readonly number[]) => string,
): string {
  const anchors = new Map<string, { readonly anchor: Mutant['anchor']; readonly indexes: number[] }>()
  for (const [i, { anchor }] of mutants.entries()) {
    const key = `${anchor.start} ${anchor.end}`
    const known = anchors.get(key)
    if (known) known.indexes.push(i)
    else anchors.set(key, { anchor, indexes: [i] })
  }
  const insertions = [...anchors.values()].flatMap(({ anchor: { start, end, kind }, indexes }) => {
    const call = buildNote(indexes)
    if (kind === 'block') return [{ at: start + 1, order: Number.NEGATIVE_INFINITY, text: `${call};` }]
    return [
      // Of nodes that begin at the same place, the longest is the outermost. A node that begins where another ends comes after it.
      { at: start, order: -end, text: `(${call},`, startsStatement: kind === 'statement' },
      { at: end, order: Number.NEGATIVE_INFINITY, text: ')' },
    ]
  })
  return insert(source, insertions)
}

interface Insertion {
  readonly at: number
  /** Order of insertions at the same place. */
  readonly order: number
  readonly text: string
  readonly startsStatement?: boolean
}

function insert(source: string, insertions: readonly Insertion[]): string {
  let [result, done, statement] = ['', 0, -1]
  for (const { at, text, startsStatement } of insertions.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    result += source.slice(done, at) + (startsStatement && statement !== at ? ';' : '') + text
    if (startsStatement) statement = at
    done = at
  }
  return result + source.slice(done)
}

function readLine(source: string, at: number): string {
  const end = source.indexOf('\n', at)
  return source.slice(source.lastIndexOf('\n', at - 1) + 1, end < 0 ? undefined : end).trim()
}

/** Adds the semicolon that a statement needs before a parenthesis, because the sources have none at the ends of lines. */
function protect(position: SyntaxPosition, { start, text }: Replacement): string {
  return text.startsWith('(') && startsStatement(position, start) ? `;${text}` : text
}

function startsStatement(position: SyntaxPosition, start: number): boolean {
  for (let up: SyntaxPosition | null = position; up !== null; up = up.parent)
    if (up.node.type === 'ExpressionStatement')
      return up.node.start === start && /^(?:BlockStatement|Program|SwitchCase)$/.test(up.parent?.node.type ?? '')
  return false
}

function findAnchor(position: SyntaxPosition, change: Replacement): Mutant['anchor'] {
  if (position.node.type === 'BlockStatement')
    return { start: position.node.start, end: position.node.end, kind: 'block' }
  const chain = findChain(position)
  // The name of a method is not an expression, so the call is observed.
  const isName = position.node.type === 'CallExpression'
  const { start, end } = chain ?? (isName ? position.node : change)
  return { start, end, kind: startsStatement(position, start) ? 'statement' : 'expression' }
}

/** Finds the outermost node of `a?.b.c()`, because its parts are not expressions of their own. */
function findChain(position: SyntaxPosition): SyntaxNode | undefined {
  let found: SyntaxNode | undefined
  for (let at: SyntaxPosition | null = position; at !== null; at = at.parent) {
    if (at.node.type === 'ChainExpression') found = at.node
    if (at.key !== 'object' && at.key !== 'callee' && at.key !== 'expression') break
  }
  return found
}
