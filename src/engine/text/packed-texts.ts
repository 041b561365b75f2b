import type { Sections } from './sections.ts'

/** Texts as UTF-16 code units, one after the other in one array: they are compared without being decoded. */
export class PackedTexts {
  readonly #starts: Uint32Array
  readonly #units: Uint16Array

  constructor(sections: Sections) {
    this.#starts = sections.words('starts')
    this.#units = sections.shorts('units')
  }

  get count(): number {
    return this.#starts.length - 1
  }

  get(number: number): string {
    let text = ''
    for (let i = this.#starts[number], end = this.#starts[number + 1]; i < end; i++)
      text += String.fromCharCode(this.#units[i])
    return text
  }

  /** Whether the part of a text from `from` to `to` is text `number`. */
  equals(number: number, text: string, from: number, to: number): boolean {
    const start = this.#starts[number]
    return this.#starts[number + 1] - start === to - from && this.#hasUnits(start, text, from, to)
  }

  /** Like `equals` for a text in lower case. ASCII case of the part is ignored. */
  equalsFolded(number: number, text: string, from: number, to: number): boolean {
    const start = this.#starts[number]
    if (this.#starts[number + 1] - start !== to - from) return false
    for (let i = from; i < to; i++) {
      const unit = text.charCodeAt(i)
      if ((unit >= 65 && unit <= 90 ? unit + 32 : unit) !== this.#units[start + i - from]) return false
    }
    return true
  }

  /** Whether text `number` is at an offset of another text. */
  beginsAt(number: number, text: string, from: number): boolean {
    const start = this.#starts[number]
    return this.#hasUnits(start, text, from, from + this.#starts[number + 1] - start)
  }

  #hasUnits(start: number, text: string, from: number, to: number): boolean {
    if (to > text.length) return false
    for (let i = from; i < to; i++) if (text.charCodeAt(i) !== this.#units[start + i - from]) return false
    return true
  }
}

export function packTexts(texts: readonly string[], into: Sections): void {
  const starts = new Uint32Array(texts.length + 1)
  for (let i = 0; i < texts.length; i++) starts[i + 1] = starts[i] + texts[i].length
  const units = new Uint16Array(starts[texts.length])
  for (let i = 0; i < texts.length; i++)
    for (let k = 0; k < texts[i].length; k++) units[starts[i] + k] = texts[i].charCodeAt(k)
  into.put('starts', starts)
  into.put('units', units)
}
