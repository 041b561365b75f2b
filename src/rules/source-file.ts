import { readFileSync } from 'node:fs'
import { type Document, isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { type Finding, finding, type Place } from './findings.ts'

export type Path = readonly (string | number)[]

/** One YAML file: its data, and where in the file each part of it stands. */
export class SourceFile {
  /** As findings name it. */
  readonly file: string
  readonly data: unknown
  /** Faults of the YAML itself; with any but a double key `data` is null. */
  readonly findings: readonly Finding[]
  readonly #document: Document
  readonly #lines = new LineCounter()

  /** @param text the file's content; read from `file` when absent */
  constructor(file: string, text: string = readFileSync(file, 'utf8')) {
    this.file = file
    // Failsafe: 8.10 stays 8.10 and no stays no; the JSON Schema knows the types.
    this.#document = parseDocument(text, { schema: 'failsafe', lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true })
    const faults = [...this.#document.errors, ...this.#document.warnings]
    const findings = faults.map(({ pos, message }) => finding('bad-yaml', this.#at(pos[0]), { reason: message }))
    const isReadable = faults.every(({ code }) => code === 'DUPLICATE_KEY')
    let data: unknown = null
    try {
      data = isReadable ? this.#document.toJS() : null
    } catch (error) {
      findings.push(finding('bad-yaml', { file, line: 1, column: 1 }, { reason: (error as Error).message }))
    }
    this.data = data
    this.findings = findings
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
        const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step))
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

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined
}
