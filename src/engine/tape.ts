import { Parser } from 'htmlparser2'
import { collapse } from './text.ts'
import type { Tape } from './types.ts'

/** Below this depth the parent of an element is not kept (htmlparser2's stack costs by its square). */
export const MAX_DEPTH = 512
/** Attributes of one tag that are kept. */
export const MAX_ATTRIBUTES = 256

/** What one pass over a document leaves behind. */
export interface Parsed {
  readonly tape: Tape
  readonly comments: readonly string[]
  /** Visible text, white space collapsed. */
  readonly text: string
  readonly warnings: readonly string[]
}

const BLOCK = 1
const HIDDEN = 2
const RAW = 4
const HEAD_ONLY = 8

// Tags that break words (HTML's block elements and line breaks), whose text nobody sees, whose text is no markup,
// and that may stand in a head without ending it (HTML standard, "in head" insertion mode).
const FLAGS = new Map<string, number>()
for (const [flag, tags] of [
  [
    BLOCK,
    'address article aside blockquote body br button center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html input legend li main menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead title tr ul',
  ],
  [HIDDEN, 'script style template noscript title'],
  [RAW, 'script style title textarea iframe noembed noframes xmp plaintext'],
  [HEAD_ONLY, 'html head base basefont bgsound link meta title noscript noframes style script template'],
] as const)
  for (const tag of tags.split(' ')) FLAGS.set(tag, (FLAGS.get(tag) ?? 0) | flag)

function isRaw(tag: string): boolean {
  return ((FLAGS.get(tag) ?? 0) & RAW) !== 0
}

/** The handler of the parser: appends to flat arrays. */
class Recorder {
  readonly tags: string[] = []
  readonly parents: number[] = []
  readonly attributes: number[] = []
  readonly names: string[] = []
  readonly values: string[] = []
  readonly textFrom: number[] = []
  readonly textTo: number[] = []
  readonly comments: string[] = []
  /** Open elements, as the parser knows them. */
  readonly open: number[] = []
  /** The element whose attributes are being read; -1 for none: a form inside a form is not reported, its attributes are. */
  current = -1
  /** The tag being read is never closed, whatever the parser reports. */
  void = false
  deep = 0
  crowded = 0
  readonly #texts: string[] = []
  #visible = ''
  #hidden = 0
  #inHead = false

  onopentagname(name: string): void {
    const tag = name.toLowerCase() // SVG tags come in camel case.
    const flags = FLAGS.get(tag) ?? 0
    if (flags & BLOCK) this.#space()
    if (!(flags & HEAD_ONLY)) this.#inHead = false
    else if (tag === 'head') this.#inHead = true
    const { open } = this
    const deep = open.length >= MAX_DEPTH
    if (deep) this.deep++
    this.current = this.tags.push(tag) - 1
    this.parents.push(deep || open.length === 0 ? -1 : open[open.length - 1])
    this.attributes.push(this.names.length)
    this.textFrom.push(this.#texts.length)
    this.textTo.push(this.#texts.length)
    if (this.void) return
    open.push(this.current)
    if (flags & HIDDEN) this.#hidden++
  }

  onattribute(name: string, value: string): void {
    if (this.current < 0) return
    if (this.names.length - this.attributes[this.current] >= MAX_ATTRIBUTES) {
      this.crowded++
      return
    }
    this.names.push(name)
    this.values.push(value)
  }

  onclosetag(name: string): void {
    const flags = FLAGS.get(name) ?? 0
    if (!this.void) {
      const at = this.open.pop()
      if (at !== undefined) this.textTo[at] = this.#texts.length
      if (flags & HIDDEN) this.#hidden--
      if (name === 'head') this.#inHead = false
    }
    this.void = false
    if (flags & BLOCK) this.#space()
  }

  ontext(text: string): void {
    this.#texts.push(text)
    if (this.#hidden === 0 && !this.#inHead) this.#visible += text
  }

  oncomment(text: string): void {
    this.comments.push(text.trim())
  }

  #space(): void {
    this.#texts.push(' ')
    this.#visible += ' '
  }

  finish(): Parsed {
    const { tags, parents, names, values, textFrom, textTo, comments } = this
    this.attributes.push(names.length)
    const tape = { tags, parents, attributes: this.attributes, names, values, textFrom, textTo, texts: this.#texts }
    const warnings: string[] = []
    if (this.deep > 0) warnings.push(`${this.deep} elements stand deeper than ${MAX_DEPTH}: their place in the tree was not kept`)
    if (this.crowded > 0) warnings.push(`${this.crowded} attributes were left out: a tag has more than ${MAX_ATTRIBUTES}`)
    return { tape, comments, text: collapse(this.#visible), warnings }
  }
}

/** Keeps htmlparser2's stack short: a tag below the bound is treated as one that is never closed. */
class BoundedParser extends Parser {
  readonly #recorder: Recorder
  readonly #deepOpen = new Map<string, number>()
  #closing = false

  constructor(recorder: Recorder) {
    super(recorder, { decodeEntities: true })
    this.#recorder = recorder
  }

  override onopentagname(start: number, end: number): void {
    this.#recorder.current = -1
    this.#recorder.void = false
    super.onopentagname(start, end)
  }

  override onclosetag(start: number, end: number): void {
    this.#closing = true
    super.onclosetag(start, end)
    this.#closing = false
  }

  protected override isVoidElement(name: string): boolean {
    const isVoid = super.isVoidElement(name) || (this.#closing ? this.#closesDeep(name) : this.#opensDeep(name))
    this.#recorder.void = isVoid
    return isVoid
  }

  /** Asked once before the recorder hears of a tag (`current` is -1) and once at its end. */
  #opensDeep(name: string): boolean {
    const { current, void: isVoid, open } = this.#recorder
    if (current >= 0) return isVoid
    if (open.length < MAX_DEPTH || isRaw(name)) return false
    this.#deepOpen.set(name, (this.#deepOpen.get(name) ?? 0) + 1)
    return true
  }

  #closesDeep(name: string): boolean {
    const open = this.#deepOpen.get(name) ?? 0
    if (open === 0) this.#deepOpen.clear()
    else this.#deepOpen.set(name, open - 1)
    return open > 0
  }
}

/** Parses a document once. Never throws, whatever the document holds. */
export function buildTape(html: string): Parsed {
  const recorder = new Recorder()
  new BoundedParser(recorder).end(html)
  return recorder.finish()
}
