import type { TagInfo } from './tags.ts'

/** The elements that are open while a document is read, and what they mean for their content. */
export class OpenElements {
  readonly #indices: number[] = []
  readonly #infos: TagInfo[] = []
  #hidden = 0
  #foreign = 0
  #forms = 0
  #literals = 0

  get depth(): number {
    return this.#indices.length
  }

  /** Index of the innermost open element; -1 if none is open. */
  get innermost(): number {
    return this.#indices.length === 0 ? -1 : this.#indices[this.#indices.length - 1]
  }

  get isHidden(): boolean {
    return this.#hidden > 0
  }

  get isForeign(): boolean {
    return this.#foreign > 0
  }

  get isForm(): boolean {
    return this.#forms > 0
  }

  /** Whether a literal element (script, style sheet and similar) is open. Nested ones occur only in SVG. */
  get isInLiteral(): boolean {
    return this.#literals > 0
  }

  /** Whether the innermost element has no entities: scripts and similar, except in SVG, where they are ordinary elements. */
  get isLiteral(): boolean {
    return this.#foreign === 0 && this.#infos.length > 0 && this.#infos[this.#infos.length - 1].isLiteral
  }

  /** Whether a start tag implicitly ends the innermost element. */
  isEndedBy({ closes }: TagInfo): boolean {
    return closes !== null && this.#infos.length > 0 && closes.has(this.#infos[this.#infos.length - 1].name)
  }

  /** Counts the elements around the innermost element with that name; -1 if none is open. */
  findDepth(name: string): number {
    let depth = this.#infos.length - 1
    while (depth >= 0 && this.#infos[depth].name !== name) depth--
    return depth
  }

  push(at: number, info: TagInfo): void {
    this.#indices.push(at)
    this.#infos.push(info)
    if (info.isHidden) this.#hidden++
    if (info.isForeign) this.#foreign++
    if (info.isLiteral) this.#literals++
    if (info.name === 'form') this.#forms++
  }

  /** Closes the innermost element and returns its tag. */
  pop(): TagInfo {
    this.#indices.pop()
    const info = this.#infos.pop() as TagInfo
    if (info.isHidden) this.#hidden--
    if (info.isForeign) this.#foreign--
    if (info.isLiteral) this.#literals--
    if (info.name === 'form') this.#forms--
    return info
  }
}
