import { createRequire } from 'node:module'
import type { Document, ErrorCode, Node, YAMLError } from 'yaml'
import { explainBlockError } from './block-errors.ts'
import { buildYamlFinding, type Position, type YamlFinding } from './finding.ts'

/** The yaml library, which a start that only reads plain files never evaluates: it would take a thirtieth of `scan --html`. */
let library: typeof import('yaml') | undefined
function loadYaml(): typeof import('yaml') {
  library ??= createRequire(import.meta.url)('yaml') as typeof import('yaml')
  return library
}

/** Keys and list indexes that lead from the root of a file to a value. */
export type Path = readonly (string | number)[]

/** Maximum nesting of lists and mappings. Real files stay far below it, and the code that reads them recurses. */
export const MAX_DEPTH = 64
/** Maximum length of a quoted message of the parser, in characters. */
const MAX_MESSAGE_LENGTH = 100

const MISPLACED_PAIR = 'key: value is not allowed here; quote a text that contains a colon, or correct the indentation'
/** YAML reads a text that begins with `*` as an alias. Authors usually mean the subdomains of a host. */
const UNQUOTED_STAR = 'quote a text that begins with *; the subdomains of x.com are written .x.com'
/** Parser errors whose own message would not help a rule author. */
const REASONS: ReadonlyMap<ErrorCode, string> = new Map([
  ['DUPLICATE_KEY', 'this key occurs twice'],
  ['BLOCK_AS_IMPLICIT_KEY', MISPLACED_PAIR],
  ['BLOCK_IN_FLOW', MISPLACED_PAIR],
  ['TAB_AS_INDENT', 'indent this line with spaces, not with a tab'],
  ['MULTIPLE_DOCS', 'a file contains one document; remove the line ---'],
])

/** The beginning of the parser's message about text behind a closing quote. */
const AFTER_QUOTE = 'Unexpected scalar at node end'

/** The text of a YAML file. */
export interface FileText {
  /** Name of the file in findings. */
  readonly file: string
  /** The content without a byte order mark: editors do not show it, so columns do not count it. */
  readonly text: string
  /** Whether the content is UTF-8. If not, `text` has replacement characters for the bytes that are not. */
  readonly isUtf8: boolean
  /**
   * `failsafe` reads every scalar as text: 8.10 stays 8.10 and no stays no, and the JSON Schema determines the type.
   * `core` reads numbers, booleans and null as such.
   */
  readonly schema: 'failsafe' | 'core'
}

/** A parsed YAML file: its data, its syntax errors, and the position of each part of it in the file. */
export class ParsedFile {
  readonly #file: string
  readonly #text: string
  readonly data: unknown
  /** Syntax errors. `data` is null if there is any error other than a duplicate key. */
  readonly findings: readonly YamlFinding[]
  readonly #document: Document
  readonly #lines = new (loadYaml().LineCounter)()

  constructor({ file, text, isUtf8, schema }: FileText) {
    this.#file = file
    this.#text = text
    const options = { schema, prettyErrors: false, uniqueKeys: true, logLevel: 'error' } as const
    this.#document = loadYaml().parseDocument(text, { ...options, lineCounter: this.#lines })
    const notText = findNonText(text, isUtf8)
    if (notText !== null) {
      this.data = null
      this.findings = [buildYamlFinding('bad-yaml', this.#positionAt(notText.at), { reason: notText.reason })]
      return
    }
    const errors = [...this.#document.errors, ...this.#document.warnings]
    const isReadable = errors.every(({ code }) => code === 'DUPLICATE_KEY')
    const findings = [...this.#reportErrors(errors), ...(isReadable ? this.#removeBadKeys() : [])]
    let data: unknown = null
    try {
      // An empty file becomes an empty text, so that the schema rejects it.
      data = isReadable ? (this.#document.toJS() ?? '') : null
    } catch (error) {
      const at = this.#findUnresolvedAlias()
      const reason = at === null ? (error as Error).message : UNQUOTED_STAR
      findings.push(buildYamlFinding('bad-yaml', this.#positionAt(at ?? 0), { reason }))
    }
    const tooDeep = findTooDeep(data)
    if (tooDeep !== null) {
      findings.push(buildYamlFinding('bad-yaml', this.valueAt(tooDeep.path), { reason: tooDeep.reason }))
      data = null
    }
    this.data = data
    this.findings = findings
  }

  /** Reports only the first syntax error: later ones are usually its consequences. */
  #reportErrors(errors: readonly YAMLError[]): YamlFinding[] {
    const isIndependent = ({ code }: YAMLError) => code === 'DUPLICATE_KEY' || code === 'TAG_RESOLVE_FAILED'
    const [first] = errors.filter((error) => !isIndependent(error)).sort((a, b) => a.pos[0] - b.pos[0])
    return errors
      .filter((error) => error === first || isIndependent(error))
      .map((error) => this.#reportError(error, error === first))
  }

  #reportError({ pos, code, message }: YAMLError, mayBeBlock: boolean): YamlFinding {
    const at = this.#positionAt(pos[0])
    const block = mayBeBlock ? explainBlockError(this.#text, at.line) : null
    if (block === null) return buildYamlFinding('bad-yaml', at, { reason: explainCode(code, message) })
    const { line, column, reason } = block
    return buildYamlFinding('bad-yaml', { ...at, line, column }, { reason })
  }

  /** Removes keys that no path can name: keys that are not text, which are reported, and duplicates, which were reported before. */
  #removeBadKeys(): YamlFinding[] {
    const findings: YamlFinding[] = []
    loadYaml().visit(this.#document, {
      Map: (_, map) => {
        const seen = new Set<string>()
        map.items = map.items.filter(({ key }) => {
          const name = loadYaml().isScalar(key) ? String(key.value) : null
          if (name === null)
            findings.push(
              buildYamlFinding('bad-yaml', this.#positionAt(findOffset(key) ?? 0), {
                reason: 'a key must be plain text',
              }),
            )
          if (name === null || seen.has(name)) return false
          seen.add(name)
          return true
        })
      },
    })
    return findings
  }

  /** Offset of the first alias without an anchor before it. */
  #findUnresolvedAlias(): number | null {
    let at: number | null = null
    loadYaml().visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document) !== undefined) return undefined
        at = findOffset(alias) ?? 0
        return loadYaml().visit.BREAK
      },
    })
    return at
  }

  #positionAt(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  /** Position of the value at `path`, or of the closest existing value that contains it. */
  valueAt(path: Path): Position {
    return this.#find(path, false)
  }

  /** Text of the scalar at `path` as written; empty if there is none. */
  textAt(path: Path): string {
    const node = this.#document.getIn(path, true)
    return loadYaml().isScalar(node) ? String(node.value) : ''
  }

  /** Position of the key that `path` ends with. */
  keyAt(path: Path): Position {
    return this.#find(path, true)
  }

  #find(path: Path, key: boolean): Position {
    let node: unknown = this.#document.contents
    let at = findOffset(node) ?? 0
    for (const [i, step] of path.entries()) {
      if (loadYaml().isMap(node)) {
        const pair = node.items.find(
          (item) => loadYaml().isPair(item) && loadYaml().isScalar(item.key) && String(item.key.value) === String(step),
        )
        if (pair === undefined) break
        at = findOffset(key && i === path.length - 1 ? pair.key : pair.value) ?? findOffset(pair.key) ?? at
        node = pair.value
      } else if (loadYaml().isSeq(node)) {
        node = node.items[Number(step)]
        at = findOffset(node) ?? at
      } else break
    }
    return this.#positionAt(at)
  }
}

function explainCode(code: ErrorCode, message: string): string {
  if (message.startsWith(AFTER_QUOTE))
    return "the text in quotes ends before this: in '…' a quote is written '', and a text of several lines after a |"
  return REASONS.get(code) ?? shorten(message)
}

/** Finds the first character that a text file must not contain. */
function findNonText(text: string, isUtf8: boolean): { at: number; reason: string } | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters.
  const at = text.search(isUtf8 ? /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/ : /\ufffd/)
  if (at < 0) return null
  return { at, reason: isUtf8 ? 'remove the control character here' : 'the file is not in UTF-8; save it as UTF-8' }
}

/** Finds data that is nested too deeply, or endlessly: an alias may refer to a value that contains it. */
function findTooDeep(data: unknown): { path: Path; reason: string } | null {
  const deepest = new Map<object, number>()
  const walk = (value: unknown, path: Path, around: readonly object[]): { path: Path; reason: string } | null => {
    if (typeof value !== 'object' || value === null) return null
    if (around.includes(value)) return { path, reason: 'this alias refers to a value that contains it' }
    if (around.length === MAX_DEPTH)
      return { path, reason: `lists and mappings are nested more than ${MAX_DEPTH} levels deep here` }
    if ((deepest.get(value) ?? -1) >= around.length) return null
    deepest.set(value, around.length)
    for (const [key, inner] of Object.entries(value)) {
      const found = walk(inner, [...path, key], [...around, value])
      if (found !== null) return found
    }
    return null
  }
  return walk(data, [], [])
}

/** Shortens a message of the parser, which may quote a whole page. */
function shorten(message: string): string {
  const line = message.replace(/\s+/g, ' ')
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line
}

function findOffset(node: unknown): number | undefined {
  return loadYaml().isNode(node) ? (node as Node).range?.[0] : undefined
}
