import { readAttribute } from '../page/element.ts'
import type { Tape } from '../page/page-types.ts'
import type { Compound, SelectorPart } from '../rule/selector.ts'
import { lower } from '../text/text.ts'

const NO_TAPE: Tape = {
  tags: [],
  parents: [],
  attributes: [],
  names: [],
  values: [],
  texts: [],
  textFrom: [],
  textTo: [],
}
/** Elements of a page up to which its lists are reused for the next page. */
const MAX_REUSED_ELEMENTS = 20_000
/** Largest mark that fits into a list of 32-bit numbers. */
const MAX_MARK = 2 ** 32 - 3
/**
 * Maximum number of characters of attribute values that are compared for one page: a long class list may be compared
 * with many selectors.
 */
export const MAX_COMPARED_CHARACTERS = 64 * 1024 * 1024

/** Matches rows of compounds on the elements of one page at a time. */
export class SelectorMatcher {
  readonly #exact: boolean
  #tape: Tape = NO_TAPE
  /**
   * By compound and element: whether the element or one of its ancestors matches the row up to that compound. `#no` means no
   * and `#no + 1` means yes on this page; a smaller number means not computed. Pages share the lists to save memory.
   */
  readonly #above: Uint32Array[] = []
  #no = -1
  #compared = 0

  /** @param exact whether case matters */
  constructor(exact: boolean) {
    this.#exact = exact
  }

  /** Resets the state for another page. */
  reset(tape: Tape): void {
    if (this.#tape.tags.length > MAX_REUSED_ELEMENTS || this.#no > MAX_MARK - 2) this.#above.length = 0
    this.#tape = tape
    this.#compared = 0
    this.#no = this.#no > MAX_MARK - 2 ? 1 : this.#no + 2
  }

  get isCut(): boolean {
    return this.#compared >= MAX_COMPARED_CHARACTERS
  }

  /** Whether the element `at` matches a row, up to the compound `last`. */
  fits(row: readonly Compound[], at: number, last = row.length - 1): boolean {
    const { parts, from } = row[last]
    if (!this.#fitsAll(parts, at)) return false
    if (from === null) return true
    const up = this.#tape.parents[at]
    if (up < 0) return false
    return from === 'child' ? this.fits(row, up, last - 1) : this.#fitsAbove(row, up, last - 1)
  }

  /** Like `fits` for any ancestor. The results are stored, because many elements share their ancestors. */
  #fitsAbove(row: readonly Compound[], at: number, last: number): boolean {
    const known = this.#getKnown(row[last])
    const no = this.#no
    let up = at
    while (up >= 0 && known[up] < no && !this.fits(row, up, last)) up = this.#tape.parents[up]
    const mark = up >= 0 && known[up] !== no ? no + 1 : no
    for (let i = at; i >= 0 && known[i] < no; i = this.#tape.parents[i]) {
      known[i] = mark
      if (i === up) break
    }
    return mark !== no
  }

  #getKnown({ id }: Compound): Uint32Array {
    const known = this.#above[id]
    const { length } = this.#tape.tags
    return known?.length >= length ? known : (this.#above[id] = new Uint32Array(length))
  }

  #fitsPart(part: SelectorPart, at: number): boolean {
    switch (part.type) {
      case 'any':
        return true
      case 'tag':
        return this.#tape.tags[at] === part.name
      case 'attribute': {
        const got = readAttribute(this.#tape, at, part.name)
        if (got === undefined || part.action === 'exists') return got !== undefined
        if (this.isCut) return false
        this.#compared += got.length
        return compare(part, got, this.#exact)
      }
      default:
        for (const row of part.rows) if (this.#fitsAll(row, at)) return part.type === 'is'
        return part.type === 'not'
    }
  }

  #fitsAll(parts: readonly SelectorPart[], at: number): boolean {
    for (const part of parts) if (!this.#fitsPart(part, at)) return false
    return true
  }
}

/** Compares only the part of a value that the operator needs. */
function compare(
  { action, value: wanted }: Extract<SelectorPart, { type: 'attribute' }>,
  got: string,
  exact: boolean,
): boolean {
  if (got.length < wanted.length || (wanted === '' && action !== 'equals' && action !== 'hyphen')) return false
  switch (action) {
    case 'equals':
      return got.length === wanted.length && fold(got, exact) === wanted
    case 'element':
      return hasWord(fold(got, exact), wanted)
    case 'hyphen':
      return fold(got, exact) === wanted || fold(got, exact).startsWith(`${wanted}-`)
    case 'any':
      return fold(got, exact).includes(wanted)
    case 'start':
      return fold(got.slice(0, wanted.length), exact) === wanted
    case 'end':
      return fold(got.slice(-wanted.length), exact) === wanted
    default:
      return false
  }
}

/** Whether a list of words contains a word. The list is not split: that takes 100 ms for a value of 4 MB. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length
    if ((at === 0 || isSpace(text.charCodeAt(at - 1))) && (end === text.length || isSpace(text.charCodeAt(end))))
      return true
  }
  return false
}

/** Space, tab, line feed, form feed, carriage return. */
function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13
}

function fold(text: string, exact: boolean): string {
  return exact ? text : lower(text)
}
