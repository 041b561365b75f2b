const SLOTS = 1024
/** Longer names are not cached: V8 stores a longer slice as a view that keeps its whole document in memory. */
export const MAX_COPIED_CHARACTERS = 12

/**
 * Caches values by the lower-case name of a tag or attribute. Pages share most names, and a cached name needs neither a new
 * string nor a new hash.
 */
export class NameTable<T> {
  readonly #names: string[] = new Array(SLOTS).fill('')
  readonly #values: T[] = []
  readonly #make: (name: string) => T

  constructor(make: (name: string) => T) {
    this.#make = make
    for (let i = 0; i < SLOTS; i++) this.#values.push(make(''))
  }

  /** Gets the value for the name at a position of a document. */
  get(html: string, start: number, end: number): T {
    const slot = (31 * (end - start) + 7 * html.charCodeAt(start) + html.charCodeAt(end - 1)) & (SLOTS - 1)
    const name = this.#names[slot]
    if (name.length === end - start && html.startsWith(name, start)) return this.#values[slot]
    return this.#add(html.slice(start, end).toLowerCase(), slot)
  }

  #add(name: string, slot: number): T {
    const value = this.#make(name)
    if (name.length > MAX_COPIED_CHARACTERS) return value
    this.#names[slot] = name
    this.#values[slot] = value
    return value
  }
}
