import { pushAll } from './lists.ts'

/** The items of texts that begin with some letters. */
interface Beginning<T> {
  readonly letters: string
  readonly items: T[]
}

/**
 * Finds the beginnings (`*` words and locators) that a text has, in lower case. Only those with the same first two letters are
 * compared.
 */
export class Beginnings<T> {
  readonly #byTwoLetters = new Map<number, Beginning<T>[]>()
  /** Beginnings of one letter or none. */
  readonly #short: Beginning<T>[] = []

  get isEmpty(): boolean {
    return this.#byTwoLetters.size === 0 && this.#short.length === 0
  }

  add(letters: string, item: T): void {
    const list = this.#getList(letters)
    const known = list.find((one) => one.letters === letters)
    if (known === undefined) list.push({ letters, items: [item] })
    else known.items.push(item)
  }

  #getList(letters: string): Beginning<T>[] {
    if (letters.length < 2) return this.#short
    const key = joinTwoLetters(letters, 0)
    let list = this.#byTwoLetters.get(key)
    if (list === undefined) this.#byTwoLetters.set(key, (list = []))
    return list
  }

  /**
   * Adds to a list the items of all beginnings of a part of a text.
   * @param to where the part ends: at the end of the text, or at a slash, which no beginning contains
   */
  collect(text: string, from: number, to: number, found: T[]): void {
    collectFrom(this.#short, text, from, found)
    const list = to - from < 2 ? undefined : this.#byTwoLetters.get(joinTwoLetters(text, from))
    if (list !== undefined) collectFrom(list, text, from, found)
  }
}

function joinTwoLetters(text: string, from: number): number {
  return (text.charCodeAt(from) << 16) | text.charCodeAt(from + 1)
}

function collectFrom<T>(list: readonly Beginning<T>[], text: string, from: number, found: T[]): void {
  for (let i = 0; i < list.length; i++) {
    const { letters, items } = list[i]
    if (text.startsWith(letters, from)) pushAll(items, found)
  }
}
