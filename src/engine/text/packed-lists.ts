import type { Sections } from './sections.ts'

/** Lists of numbers, one after the other in one array: list `i` is `items` from `starts[i]` to `starts[i + 1]`. */
export class PackedLists {
  readonly starts: Uint32Array
  readonly items: Uint32Array

  constructor(sections: Sections) {
    this.starts = sections.words('starts')
    this.items = sections.words('items')
  }

  /** Adds the numbers of a list to another list. */
  pushAll(list: number, into: number[]): void {
    for (let i = this.starts[list], end = this.starts[list + 1]; i < end; i++) into.push(this.items[i])
  }

  get(list: number): Uint32Array {
    return this.items.subarray(this.starts[list], this.starts[list + 1])
  }
}

/** Packs lists of numbers; a list that is missing is empty. */
export function packLists(lists: readonly (readonly number[] | undefined)[], into: Sections): void {
  const starts = new Uint32Array(lists.length + 1)
  for (let i = 0; i < lists.length; i++) starts[i + 1] = starts[i] + (lists[i]?.length ?? 0)
  const items = new Uint32Array(starts[lists.length])
  for (let i = 0; i < lists.length; i++) items.set(lists[i] ?? [], starts[i])
  into.put('starts', starts)
  into.put('items', items)
}
