import { PackedLists, packLists } from './packed-lists.ts'
import { PackedMap, PackedMapBuilder } from './packed-map.ts'
import { PackedTexts, packTexts } from './packed-texts.ts'
import type { Sections } from './sections.ts'

/**
 * Finds the beginnings (`*` words and locators) that a text has, in lower case, each with its items, which are numbers. Only
 * those with the same first two letters are compared. Each beginning is of one scope.
 */
export class Beginnings {
  readonly #groups: PackedMap
  /** The beginnings of a group: those with the same first two letters, or those of one letter or none. */
  readonly #ofGroup: PackedLists
  readonly #letters: PackedTexts
  readonly #items: PackedLists

  constructor(sections: Sections) {
    this.#groups = new PackedMap(sections.at('groups'))
    this.#ofGroup = new PackedLists(sections.at('ofGroup'))
    this.#letters = new PackedTexts(sections.at('letters'))
    this.#items = new PackedLists(sections.at('items'))
  }

  get isEmpty(): boolean {
    return this.#letters.count === 0
  }

  /**
   * Adds to a list the items of all beginnings of a part of a text.
   * @param to where the part ends: at the end of the text, or at a slash, which no beginning contains
   */
  collect(text: string, { from, to, scope }: { from: number; to: number; scope: number }, found: number[]): void {
    this.#collectGroup(this.#groups.find('', 0, 0, scope), text, from, found)
    if (to - from >= 2) this.#collectGroup(this.#groups.find(text, from, from + 2, scope), text, from, found)
  }

  #collectGroup(group: number, text: string, from: number, found: number[]): void {
    if (group < 0) return
    const { starts, items } = this.#ofGroup
    for (let i = starts[group]; i < starts[group + 1]; i++)
      if (this.#letters.beginsAt(items[i], text, from)) this.#items.pushAll(items[i], found)
  }
}

/** Collects the items of `Beginnings`. */
export class BeginningsBuilder {
  readonly #groups = new PackedMapBuilder()
  readonly #ofGroup: number[][] = []
  readonly #beginnings = new PackedMapBuilder()
  readonly #items: number[][] = []

  add(letters: string, item: number, scope = 0): void {
    const beginning = this.#beginnings.add(letters, scope)
    if (this.#items[beginning] === undefined) {
      this.#items[beginning] = []
      const group = this.#groups.add(letters.length < 2 ? '' : letters.slice(0, 2), scope)
      this.#ofGroup[group] ??= []
      this.#ofGroup[group].push(beginning)
    }
    this.#items[beginning].push(item)
  }

  pack(into: Sections): void {
    this.#groups.pack(into.at('groups'))
    packLists(this.#ofGroup, into.at('ofGroup'))
    packTexts(this.#beginnings.keys, into.at('letters'))
    packLists(this.#items, into.at('items'))
  }
}
