import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import {
  type Document,
  type ErrorCode,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { type Finding, finding, type Place } from '../rules/findings.ts'

export type Path = readonly (string | number)[]

/** Lists and mappings in each other: no file needs nearly as many, and what reads them goes down step by step. */
const MAX_DEPTH = 64
/** Characters of the parser's own messages. */
const LONGEST = 100

const PAIR = 'key: value stands where it cannot: put a text with a colon into quotes, or mend the indentation'
/** What the parser says to programmers, said to authors. */
const REASONS: ReadonlyMap<ErrorCode, string> = new Map([
  ['DUPLICATE_KEY', 'this key stands here twice'],
  ['BLOCK_AS_IMPLICIT_KEY', PAIR],
  ['BLOCK_IN_FLOW', PAIR],
  ['MULTIPLE_DOCS', 'a file holds one document, without --- in it'],
])

/** One YAML file: its data, and where in the file each part of it stands. */
export class SourceFile {
  /** As findings name it. */
  readonly file: string
  readonly data: unknown
  /** Faults of the YAML itself; with any but a double key `data` is null. */
  readonly findings: readonly Finding[]
  readonly #document: Document
  readonly #lines = new LineCounter()

  /** @param content of the file; read when absent */
  constructor(file: string, content: Uint8Array = readFileSync(file)) {
    this.file = file
    const text = new TextDecoder().decode(content) // It takes away a byte order mark: an editor shows none, so no column counts it.
    // Failsafe: 8.10 stays 8.10 and no stays no; the JSON Schema knows the types.
    const options = { schema: 'failsafe', prettyErrors: false, uniqueKeys: true, logLevel: 'error' } as const
    this.#document = parseDocument(text, { ...options, lineCounter: this.#lines })
    const odd = firstOdd(text, isUtf8(content))
    if (odd !== null) {
      this.data = null
      this.findings = [finding('bad-yaml', this.#at(odd.at), { reason: odd.reason })]
      return
    }
    const faults = [...this.#document.errors, ...this.#document.warnings]
    const isReadable = faults.every(({ code }) => code === 'DUPLICATE_KEY')
    const findings = [...this.#tell(faults), ...(isReadable ? this.#keepPlainKeys() : [])]
    let data: unknown = null
    try {
      // An empty file has a value too, of the wrong type: else nobody would tell of it.
      data = isReadable ? (this.#document.toJS() ?? '') : null
    } catch (error) {
      findings.push(finding('bad-yaml', this.#at(this.#lostAlias()), { reason: (error as Error).message }))
    }
    const deep = tooDeep(data)
    if (deep !== null) {
      findings.push(finding('bad-yaml', this.valueAt(deep.path), { reason: deep.reason }))
      data = null
    }
    this.data = data
    this.findings = findings
  }

  /** One slip makes the parser stumble on: of the syntax the first fault is told. */
  #tell(faults: readonly YAMLError[]): Finding[] {
    const isAlone = ({ code }: YAMLError) => code === 'DUPLICATE_KEY' || code === 'TAG_RESOLVE_FAILED'
    const [first] = faults.filter((fault) => !isAlone(fault)).sort((a, b) => a.pos[0] - b.pos[0])
    return faults
      .filter((fault) => fault === first || isAlone(fault))
      .map(({ pos, code, message }) =>
        finding('bad-yaml', this.#at(pos[0]), { reason: REASONS.get(code) ?? shorten(message) }),
      )
  }

  /** Takes away what no path leads to: a key that is no text, and one that stands there already, which is told. */
  #keepPlainKeys(): Finding[] {
    const findings: Finding[] = []
    visit(this.#document, {
      Map: (_, map) => {
        const seen = new Set<string>()
        map.items = map.items.filter(({ key }) => {
          const name = isScalar(key) ? String(key.value) : null
          if (name === null)
            findings.push(finding('bad-yaml', this.#at(offsetOf(key) ?? 0), { reason: 'a key is a plain text' }))
          if (name === null || seen.has(name)) return false
          seen.add(name)
          return true
        })
      },
    })
    return findings
  }

  /** Where the first alias stands that no anchor comes before; 0 when there is none. */
  #lostAlias(): number {
    let at = 0
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document) !== undefined) return undefined
        at = offsetOf(alias) ?? 0
        return visit.BREAK
      },
    })
    return at
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  /** Where the value at `path` begins; the nearest thing around it where there is none. */
  valueAt(path: Path): Place {
    return this.#place(path, false)
  }

  /** The text of the value at `path`, as it stands. */
  textAt(path: Path): string {
    const node = this.#document.getIn(path, true)
    return isScalar(node) ? String(node.value) : ''
  }

  /** Where the key that `path` ends with stands. */
  keyAt(path: Path): Place {
    return this.#place(path, true)
  }

  #place(path: Path, key: boolean): Place {
    let node: unknown = this.#document.contents
    let at = offsetOf(node) ?? 0
    for (const [i, step] of path.entries()) {
      if (isMap(node)) {
        const pair = node.items.find(
          (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
        )
        if (pair === undefined) break
        at = offsetOf(key && i === path.length - 1 ? pair.key : pair.value) ?? offsetOf(pair.key) ?? at
        node = pair.value
      } else if (isSeq(node)) {
        node = node.items[Number(step)]
        at = offsetOf(node) ?? at
      } else break
    }
    return this.#at(at)
  }
}

/** Where a file stops to be text; null when it does not. */
function firstOdd(text: string, isUtf8: boolean): { at: number; reason: string } | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const at = text.search(isUtf8 ? /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/ : /\ufffd/)
  if (at < 0) return null
  return { at, reason: isUtf8 ? 'a control character stands here' : 'the file is not in UTF-8: save it so' }
}

/** Where data goes down too far, or without end: an alias may name what it stands in. */
function tooDeep(data: unknown): { path: Path; reason: string } | null {
  const deepest = new Map<object, number>()
  const walk = (value: unknown, path: Path, around: readonly object[]): { path: Path; reason: string } | null => {
    if (typeof value !== 'object' || value === null) return null
    if (around.includes(value)) return { path, reason: 'this alias names what it stands in' }
    if (around.length === MAX_DEPTH)
      return { path, reason: `lists and mappings are nested more than ${MAX_DEPTH} deep here` }
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

/** The parser quotes what it does not understand, whole pages too. */
function shorten(message: string): string {
  const line = message.replace(/\s+/g, ' ')
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined
}
