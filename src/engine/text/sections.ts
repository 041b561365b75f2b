/** A typed array of a compiled index. */
export type Section = Uint8Array | Uint16Array | Uint32Array

/**
 * Named typed arrays: the parts of a compiled index. Names are paths (`place.script.words.slots`), and `at` gives the sections below
 * one part of a path.
 */
export class Sections {
  readonly #all: Map<string, Section>
  readonly #path: string

  constructor(all: Map<string, Section> = new Map(), path = '') {
    this.#all = all
    this.#path = path
  }

  /** All sections by their whole names. */
  get all(): ReadonlyMap<string, Section> {
    return this.#all
  }

  at(part: string): Sections {
    return new Sections(this.#all, `${this.#path}${part}.`)
  }

  put(name: string, section: Section): void {
    this.#all.set(this.#path + name, section)
  }

  has(name: string): boolean {
    return this.#all.has(this.#path + name)
  }

  /** @throws TypeError if there is no such section, or if it has another type */
  bytes(name: string): Uint8Array {
    return this.#get(name, Uint8Array)
  }

  shorts(name: string): Uint16Array {
    return this.#get(name, Uint16Array)
  }

  words(name: string): Uint32Array {
    return this.#get(name, Uint32Array)
  }

  /** A table of states, which has the smallest type that holds them. */
  states(name: string): Uint16Array | Uint32Array {
    const section = this.#all.get(this.#path + name)
    return section instanceof Uint32Array ? section : this.shorts(name)
  }

  #get<T extends Section>(name: string, type: new () => T): T {
    const section = this.#all.get(this.#path + name)
    if (!(section instanceof type)) throw new TypeError(`the compiled ruleset has no ${type.name} ${this.#path}${name}`)
    return section
  }
}
