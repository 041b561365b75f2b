const SLOTS = 1024
/** V8 keeps a longer slice as a view of its document: such names are not kept. */
const LONGEST_NAME = 12

/** Names of tags or attributes in lower case, and what is known of each. Pages share most of them: a known one needs no new string, and no new hash. */
export class NameTable<T> {
  readonly #names: string[] = new Array(SLOTS).fill('')
  readonly #known: T[] = []
  readonly #make: (name: string) => T

  constructor(make: (name: string) => T) {
    this.#make = make
    for (let i = 0; i < SLOTS; i++) this.#known.push(make(''))
  }

  /** What is known of the name that stands at a place of a document. */
  at(html: string, start: number, end: number): T {
    const slot = (31 * (end - start) + 7 * html.charCodeAt(start) + html.charCodeAt(end - 1)) & (SLOTS - 1)
    const name = this.#names[slot]
    if (name.length === end - start && html.startsWith(name, start)) return this.#known[slot]
    return this.#learn(html.slice(start, end).toLowerCase(), slot)
  }

  #learn(name: string, slot: number): T {
    const made = this.#make(name)
    if (name.length > LONGEST_NAME) return made
    this.#names[slot] = name
    this.#known[slot] = made
    return made
  }
}
