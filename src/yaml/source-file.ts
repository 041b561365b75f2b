import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { splitDocuments } from './documents.ts'
import type { Position, YamlFinding } from './finding.ts'
import { type FileText, MAX_DEPTH, ParsedFile, type Path } from './parsed-file.ts'
import { readPlainYaml } from './plain-yaml.ts'

export type { Path } from './parsed-file.ts'

export interface SourceFileOptions {
  /** Content of the file. It is read from the disk if absent. */
  readonly content?: Uint8Array
  /** How scalars are read; `failsafe` if absent. */
  readonly schema?: FileText['schema']
  /** The document that is read, of a file with one or two; the whole file, which must be one document, if absent. */
  readonly document?: 'first' | 'second'
  /** What was read from the file, or from `content`, as it is now: it is then parsed only when a position is needed. */
  readonly known?: Pick<SourceFile, 'data' | 'findings'>
}

/**
 * A YAML file: its data, and the position of each part of it in the file. The data of a plain file comes from a faster parser;
 * the file is parsed with positions when the first position is needed, which is never for most files.
 */
export class SourceFile {
  /** Name of the file in findings. */
  readonly file: string
  readonly data: unknown
  /** Syntax errors. `data` is null if there is any error other than a duplicate key. */
  readonly findings: readonly YamlFinding[]
  #text: FileText | undefined
  readonly #document: SourceFileOptions['document']
  /** Whether texts can be read from `data`. */
  readonly #isPlain: boolean
  #parsed: ParsedFile | undefined

  constructor(file: string, options: SourceFileOptions = {}) {
    this.file = file
    this.#document = options.document
    if (options.known !== undefined) {
      this.#isPlain = true
      this.data = options.known.data
      this.findings = options.known.findings
      if (options.content !== undefined) this.#text = readText(file, options)
      return
    }
    this.#text = readText(file, options)
    const plain = this.#text.schema === 'failsafe' ? readPlainYaml(this.#text.text, MAX_DEPTH) : undefined
    this.#isPlain = plain !== undefined
    this.data = this.#isPlain ? plain : this.#located.data
    this.findings = this.#isPlain ? [] : this.#located.findings
  }

  /** The file with positions. */
  get #located(): ParsedFile {
    this.#parsed ??= new ParsedFile(this.#text ?? readText(this.file, { document: this.#document }))
    return this.#parsed
  }

  /** Position of the value at `path`, or of the closest existing value that contains it. */
  valueAt(path: Path): Position {
    return this.#located.valueAt(path)
  }

  /** Text of the scalar at `path` as written; empty if there is none. */
  textAt(path: Path): string {
    const value = this.#isPlain ? findValue(this.data, path) : undefined
    // A validator may have converted the text to another type.
    return typeof value === 'string' ? value : this.#located.textAt(path)
  }

  /** Position of the key that `path` ends with. */
  keyAt(path: Path): Position {
    return this.#located.keyAt(path)
  }
}

function readText(file: string, { content, schema = 'failsafe', document }: SourceFileOptions): FileText {
  const decoded = content === undefined ? readFileSync(file, 'utf8') : Buffer.from(content).toString()
  const text = decoded.replace(/^\ufeff/, '')
  // The replacement character stands for bytes that are not UTF-8, unless the file contains the character itself.
  const isText = !text.includes('\ufffd') || isUtf8(content ?? readFileSync(file))
  const part = document === undefined ? text : (splitDocuments(text)[document] ?? '')
  return { file, text: part, isUtf8: isText, schema }
}

function findValue(data: unknown, path: Path): unknown {
  let value = data
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[step]
  }
  return value
}
