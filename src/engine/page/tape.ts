import type { TokenizerCallbacks } from 'htmlparser2'
import { formatCountWas } from '../text/count.ts'
import { NameTable } from '../text/name-table.ts'
import { collapse, isBlank } from '../text/text.ts'
import { EntityDecoder } from './entity-decoder.ts'
import { OpenElements } from './open-elements.ts'
import type { Parsed, Tape } from './page-types.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'
import { readTag, type TagInfo } from './tags.ts'

/** Below this depth the parents of elements are not stored. */
const MAX_DEPTH = 512
/** Maximum number of attributes of one tag that are stored. */
const MAX_ATTRIBUTES = 256
/**
 * Maximum number of tags, attributes, texts and comments of a document that are read. Their number determines the cost
 * of a page, up to 1 µs each. The largest of 711 real pages has 20,000.
 */
const MAX_TOKENS = 150_000
/**
 * Maximum number of characters of visible text that are stored, before white space is collapsed. The maximum of 711
 * real pages is 83,000.
 */
const MAX_TEXT_CHARACTERS = 1024 * 1024

/**
 * Parses a document in one pass into flat arrays. It never throws.
 * Only htmlparser2's tokenizer is used: the cost of its parser grows with the square of the depth, and the parser reports more
 * than a tape needs, so open elements are tracked here. Without entity decoding the tokenizer can skip from tag to tag, which
 * takes three quarters of the time.
 */
export function buildTape(html: string): Parsed {
  const builder = new TapeBuilder(html)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, builder)
  builder.tokenizer = tokenizer
  tokenizer.write(html)
  if (builder.isCut) builder.onend()
  else tokenizer.end()
  return builder.finish()
}

const ATTRIBUTES = new NameTable((name) => name)

class TapeBuilder implements TokenizerCallbacks {
  readonly #html: string
  readonly #decoder: EntityDecoder
  readonly #tags: string[] = []
  readonly #parents: number[] = []
  readonly #attributes: number[] = []
  readonly #names: string[] = []
  readonly #values: string[] = []
  readonly #textFrom: number[] = []
  readonly #textTo: number[] = []
  readonly #texts: string[] = []
  readonly #comments: string[] = []
  readonly #open = new OpenElements()
  /** Number of open elements below the depth bound, by name. */
  readonly #deepOpen = new Map<string, number>()
  /** The element whose attributes are read; -1 for a form in a form, which HTML ignores. */
  #current = -1
  #name = ''
  #value = ''
  #visible = ''
  /** Characters of visible text beyond the bound. */
  #skippedCharacters = 0
  #isSpaced = false
  #inHead = false
  #deep = 0
  #crowded = 0
  #hasUnclosed = false
  #tokens = 0
  /** End of the last token. If the document was cut, the characters after it were not read. */
  #end = 0
  /**
   * The tokenizer that reads the document. `finish` removes it: while builder and tokenizer refer to each other, V8 keeps them
   * and their document through many collections of young objects, which made building pages a fifth slower.
   */
  tokenizer: QuickTokenizer | null = null

  constructor(html: string) {
    this.#html = html
    this.#decoder = new EntityDecoder(html)
  }

  get isCut(): boolean {
    return this.#tokens >= MAX_TOKENS
  }

  #count(end: number): void {
    this.#end = end
    if (++this.#tokens === MAX_TOKENS) this.tokenizer?.pause()
  }

  onopentagname(start: number, end: number): void {
    this.#count(end)
    const info = readTag(this.#html, start, end)
    const open = this.#open
    this.#current = -1
    if (info.name === 'form' && open.isForm) return
    while (open.isEndedBy(info)) this.#closeImplied()
    if (info.isBlock) this.#addText(' ')
    this.#inHead = info.isHead && (this.#inHead || info.name === 'head')
    const isDeep = open.depth >= MAX_DEPTH
    this.#deep += isDeep ? 1 : 0
    this.#current = this.#tags.push(info.name) - 1
    this.#parents.push(isDeep ? -1 : open.innermost)
    this.#attributes.push(this.#names.length)
    this.#textFrom.push(this.#texts.length)
    this.#textTo.push(this.#texts.length)
    if (info.isVoid) return
    if (isDeep && !info.isRaw) this.#deepOpen.set(info.name, (this.#deepOpen.get(info.name) ?? 0) + 1)
    else open.push(this.#current, info)
  }

  /** Closes the innermost open element because of something else than its end tag. */
  #closeImplied(): void {
    const { isInert, isForeign } = this.#close()
    if (isInert || isForeign) this.#hasUnclosed = true
  }

  /** Closes the innermost open element. */
  #close(): TagInfo {
    const at = this.#open.innermost
    const info = this.#open.pop()
    // A script in a script (only in SVG) gets no text: a thousand nested scripts would have a thousand times the page's text.
    if (!info.isLiteral || !this.#open.isInLiteral) this.#textTo[at] = this.#texts.length
    if (info.name === 'head') this.#inHead = false
    if (info.isBlock) this.#addText(' ')
    return info
  }

  onclosetag(start: number, end: number): void {
    this.#count(end)
    const { name } = readTag(this.#html, start, end)
    const deep = this.#deepOpen.size > 0 ? (this.#deepOpen.get(name) ?? 0) : 0
    if (deep > 0) {
      this.#deepOpen.set(name, deep - 1)
      return
    }
    const depth = this.#open.findDepth(name)
    if (depth < 0) return
    this.#deepOpen.clear()
    while (this.#open.depth > depth + 1) this.#closeImplied()
    this.#close()
  }

  onselfclosingtag(): void {
    if (this.#open.isForeign && this.#open.innermost === this.#current) this.#close()
  }

  onattribname(start: number, end: number): void {
    this.#name = ATTRIBUTES.get(this.#html, start, end)
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value = this.#decoder.decodeAttribute(start, end)
  }

  onattribend(_quote: unknown, end: number): void {
    this.#count(end)
    if (this.#current < 0) return
    if (this.#names.length - this.#attributes[this.#current] >= MAX_ATTRIBUTES) {
      this.#crowded++
      return
    }
    this.#names.push(this.#name)
    this.#values.push(this.#value)
  }

  ontext(start: number, end: number): void {
    this.#count(end)
    if (isBlank(this.#html, start, end)) this.#addText(' ')
    else this.#addText(this.#open.isLiteral ? this.#html.slice(start, end) : this.#decoder.decodeText(start, end))
  }

  oncdata(start: number, end: number, offset: number): void {
    this.#count(end)
    if (this.#open.isForeign) this.#addText(this.#html.slice(start, end - offset))
    else this.#comments.push(`[CDATA[${this.#html.slice(start, end - offset)}]]`)
  }

  oncomment(start: number, end: number, offset: number): void {
    this.#count(end)
    this.#comments.push(this.#html.slice(start, end - offset).trim())
  }

  onend(): void {
    while (this.#open.depth > 0) this.#closeImplied()
  }

  isInForeignContext(): boolean {
    return this.#open.isForeign
  }

  onattribentity(): void {}
  ontextentity(): void {}
  ondeclaration(_start: number, end: number): void {
    this.#count(end)
  }
  onopentagend(): void {}
  onprocessinginstruction(_start: number, end: number): void {
    this.#count(end)
  }

  /** Adds text; a space after a space is skipped. */
  #addText(text: string): void {
    if (text !== ' ' || this.#texts[this.#texts.length - 1] !== ' ') this.#texts.push(text)
    if (this.#open.isHidden || this.#inHead || (text === ' ' && this.#isSpaced)) return
    if (this.#visible.length >= MAX_TEXT_CHARACTERS) this.#skippedCharacters += text.length
    else this.#visible += text
    this.#isSpaced = text === ' '
  }

  /** Returns the tape and what was collected with it. */
  finish(): Parsed {
    this.tokenizer = null
    this.#attributes.push(this.#names.length)
    const tape: Tape = {
      tags: this.#tags,
      parents: this.#parents,
      attributes: this.#attributes,
      names: this.#names,
      values: this.#values,
      texts: this.#texts,
      textFrom: this.#textFrom,
      textTo: this.#textTo,
    }
    const warnings: string[] = []
    if (this.#deep > 0)
      warnings.push(
        this.#deep === 1
          ? `1 element is nested deeper than ${MAX_DEPTH}: its parent was not stored`
          : `${this.#deep} elements are nested deeper than ${MAX_DEPTH}: their parents were not stored`,
      )
    if (this.#crowded > 0)
      warnings.push(
        `${formatCountWas(this.#crowded, 'attribute')} skipped: only the first ${MAX_ATTRIBUTES} of a tag are read`,
      )
    if (this.isCut)
      warnings.push(
        `only the first ${this.#end} of ${this.#html.length} characters were parsed: the page has more than ${MAX_TOKENS} tags, attributes, texts and comments`,
      )
    const length = this.#visible.length + this.#skippedCharacters
    if (length > MAX_TEXT_CHARACTERS)
      warnings.push(`only the first ${MAX_TEXT_CHARACTERS} of ${length} characters of visible text were read`)
    return {
      tape,
      comments: this.#comments,
      text: collapse(this.#visible.slice(0, MAX_TEXT_CHARACTERS)),
      warnings,
      hasUnclosed: this.#hasUnclosed,
    }
  }
}
