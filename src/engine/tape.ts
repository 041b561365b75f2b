import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { internName } from './intern-name.ts'
import { type TagInfo, tagInfo } from './tags.ts'
import { collapse, isBlank } from './text.ts'
import type { Parsed, Tape } from './types.ts'

/** Below this depth the parent of an element is not kept. */
const MAX_DEPTH = 512
/** Attributes of one tag that are kept. */
const MAX_ATTRIBUTES = 256

/**
 * Parses a document once, into flat arrays. Never throws, whatever the document holds.
 * htmlparser2's tokenizer does the reading; its parser keeps a stack whose cost goes by the square of the depth, and
 * reports more than a tape needs, so which element is open is kept here.
 */
export function buildTape(html: string): Parsed {
  const recorder = new Recorder(html)
  const tokenizer = new Tokenizer({ decodeEntities: true }, recorder)
  tokenizer.write(html)
  tokenizer.end()
  return recorder.finish()
}

class Recorder implements TokenizerCallbacks {
  readonly #html: string
  readonly #tags: string[] = []
  readonly #parents: number[] = []
  readonly #attributes: number[] = []
  readonly #names: string[] = []
  readonly #values: string[] = []
  readonly #textFrom: number[] = []
  readonly #textTo: number[] = []
  readonly #texts: string[] = []
  readonly #comments: string[] = []
  /** Open elements and what is known of them. */
  readonly #open: number[] = []
  readonly #infos: TagInfo[] = []
  /** Open elements below the bound, by name: they are only counted. */
  readonly #deepOpen = new Map<string, number>()
  /** The element whose attributes are read; -1 for a form in a form, which is none. */
  #current = -1
  #name = ''
  #value = ''
  #visible = ''
  #isSpaced = false
  #hidden = 0
  #foreign = 0
  #forms = 0
  #inHead = false
  #deep = 0
  #crowded = 0

  constructor(html: string) {
    this.#html = html
  }

  onopentagname(start: number, end: number): void {
    const info = tagInfo(internName(this.#html, start, end))
    const open = this.#open
    this.#current = -1
    if (info.name === 'form' && this.#forms > 0) return
    if (info.closes !== null)
      while (open.length > 0 && info.closes.has(this.#infos[open.length - 1].name)) this.#close()
    if (info.isBlock) this.#text(' ')
    this.#inHead = info.isHead && (this.#inHead || info.name === 'head')
    const isDeep = open.length >= MAX_DEPTH
    this.#deep += isDeep ? 1 : 0
    this.#current = this.#tags.push(info.name) - 1
    this.#parents.push(isDeep || open.length === 0 ? -1 : open[open.length - 1])
    this.#attributes.push(this.#names.length)
    this.#textFrom.push(this.#texts.length)
    this.#textTo.push(this.#texts.length)
    if (info.isVoid) return
    if (isDeep && !info.isRaw) this.#deepOpen.set(info.name, (this.#deepOpen.get(info.name) ?? 0) + 1)
    else this.#enter(info)
  }

  #enter(info: TagInfo): void {
    this.#open.push(this.#current)
    this.#infos.push(info)
    if (info.isHidden) this.#hidden++
    if (info.isForeign) this.#foreign++
    if (info.name === 'form') this.#forms++
  }

  /** Closes the innermost open element. */
  #close(): void {
    const at = this.#open.pop()
    const info = this.#infos.pop()
    if (at === undefined || info === undefined) return
    this.#textTo[at] = this.#texts.length
    if (info.isHidden) this.#hidden--
    if (info.isForeign) this.#foreign--
    if (info.name === 'form') this.#forms--
    if (info.name === 'head') this.#inHead = false
    if (info.isBlock) this.#text(' ')
  }

  onclosetag(start: number, end: number): void {
    const top = this.#infos[this.#infos.length - 1]?.name
    const isTop = top?.length === end - start && this.#html.startsWith(top, start)
    const name = isTop ? top : internName(this.#html, start, end)
    const deep = this.#deepOpen.get(name) ?? 0
    if (deep > 0) {
      this.#deepOpen.set(name, deep - 1)
      return
    }
    let depth = this.#infos.length - 1
    while (depth >= 0 && this.#infos[depth].name !== name) depth--
    if (depth < 0) return
    this.#deepOpen.clear()
    while (this.#open.length > depth) this.#close()
  }

  onselfclosingtag(): void {
    if (this.#foreign > 0 && this.#open[this.#open.length - 1] === this.#current) this.#close()
  }

  onattribname(start: number, end: number): void {
    this.#name = internName(this.#html, start, end)
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end)
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(): void {
    if (this.#current < 0) return
    if (this.#names.length - this.#attributes[this.#current] >= MAX_ATTRIBUTES) {
      this.#crowded++
      return
    }
    this.#names.push(this.#name)
    this.#values.push(this.#value)
  }

  ontext(start: number, end: number): void {
    this.#text(isBlank(this.#html, start, end) ? ' ' : this.#html.slice(start, end))
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint))
  }

  oncdata(start: number, end: number, offset: number): void {
    if (this.#foreign > 0) this.#text(this.#html.slice(start, end - offset))
    else this.#comments.push(`[CDATA[${this.#html.slice(start, end - offset)}]]`)
  }

  oncomment(start: number, end: number, offset: number): void {
    this.#comments.push(this.#html.slice(start, end - offset).trim())
  }

  onend(): void {
    while (this.#open.length > 0) this.#close()
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  ondeclaration(): void {}
  onopentagend(): void {}
  onprocessinginstruction(): void {}

  /** A space after a space adds nothing. */
  #text(text: string): void {
    if (text !== ' ' || this.#texts[this.#texts.length - 1] !== ' ') this.#texts.push(text)
    if (this.#hidden > 0 || this.#inHead || (text === ' ' && this.#isSpaced)) return
    this.#visible += text
    this.#isSpaced = text === ' '
  }

  finish(): Parsed {
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
      warnings.push(`${this.#deep} elements stand deeper than ${MAX_DEPTH}: their place in the tree was not kept`)
    if (this.#crowded > 0)
      warnings.push(`${this.#crowded} attributes were left out: a tag has more than ${MAX_ATTRIBUTES}`)
    return { tape, comments: this.#comments, text: collapse(this.#visible), warnings }
  }
}
