import type { TagInfo } from './tags.ts'

/** The elements that are open while a document is read, and what they mean for what stands in them. */
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

  /** Index of the innermost; -1 when nothing is open. */
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

  /** Whether a script, a style sheet or the like is open. Around another one it can only be in SVG. */
  get isInLiteral(): boolean {
    return this.#literals > 0
  }

  /** Scripts and the like have no entities, except in SVG, where they are elements as any other. */
  get isLiteral(): boolean {
    return this.#foreign === 0 && this.#infos.length > 0 && this.#infos[this.#infos.length - 1].isLiteral
  }

  /** Whether a tag ends the innermost element. */
  isEndedBy({ closes }: TagInfo): boolean {
    return closes !== null && this.#infos.length > 0 && closes.has(this.#infos[this.#infos.length - 1].name)
  }

  /** Elements around the innermost of that name; -1 when none is open. */
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

  /** Closes the innermost. @returns what it is */
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
