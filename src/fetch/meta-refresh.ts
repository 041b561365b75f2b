import type { TokenizerCallbacks } from 'htmlparser2'
import { EntityDecoder } from '../engine/page/entity-decoder.ts'
import { QuickTokenizer } from '../engine/page/quick-tokenizer.ts'

/** Bytes of a page that are searched for a refresh, which belongs in the head. */
const HEAD_BYTES = 65_536
// Cheap first test, because few pages contain a refresh. It is linear: no two runs of white space are adjacent, for which a
// failing match would try every split (15 s for 64 KiB of spaces).
const HINT = /http-equiv\s*=\s*(?:["']\s*)?refresh/i
// Browsers with scripting enabled ignore a refresh inside these elements.
const INERT: ReadonlySet<string> = new Set(['noscript', 'template'])

/**
 * Finds the contents of the `<meta http-equiv=refresh>` elements that a browser with scripting follows, in document order.
 * The names are ASCII in every charset that browsers accept, so the bytes are decoded as Latin-1.
 */
export function findMetaRefreshes(html: Uint8Array): string[] {
  const head = Buffer.from(html.buffer, html.byteOffset, Math.min(html.length, HEAD_BYTES)).toString('latin1')
  if (!HINT.test(head)) return []
  const finder = new RefreshFinder(head)
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, finder)
  tokenizer.write(head)
  tokenizer.end()
  return finder.contents
}

/** Reads only `<meta>` elements: this takes up to 5 ms of the event loop for a hostile page, building its tape 40 ms. */
class RefreshFinder implements TokenizerCallbacks {
  readonly contents: string[] = []
  readonly #html: string
  readonly #cutter: EntityDecoder
  /** Name of the open inert element. Only its own end tag closes it. */
  #inert = ''
  /** Open elements of that name. Browsers do not nest `<noscript>`, because they treat its content as text. */
  #inertDepth = 0
  #isMeta = false
  #name = ''
  #value = ''
  #equivalent: string | undefined
  #content: string | undefined

  constructor(html: string) {
    this.#html = html
    this.#cutter = new EntityDecoder(html)
  }

  onopentagname(start: number, end: number): void {
    this.#isMeta = false
    if (end - start > 'noscript'.length) return
    const name = this.#html.slice(start, end).toLowerCase()
    if (this.#inert === '' && INERT.has(name)) this.#inert = name
    if (name === this.#inert && (name === 'template' || this.#inertDepth === 0)) this.#inertDepth++
    this.#isMeta = name === 'meta' && this.#inert === ''
    this.#equivalent = this.#content = undefined
  }

  onclosetag(start: number, end: number): void {
    if (end - start !== this.#inert.length || this.#html.slice(start, end).toLowerCase() !== this.#inert) return
    if (--this.#inertDepth === 0) this.#inert = ''
  }

  onattribname(start: number, end: number): void {
    this.#name = ''
    this.#value = ''
    if (this.#isMeta && end - start <= 'http-equiv'.length) this.#name = this.#html.slice(start, end).toLowerCase()
  }

  onattribdata(start: number, end: number): void {
    if (this.#name === 'http-equiv' || this.#name === 'content') this.#value = this.#cutter.decodeAttribute(start, end)
  }

  /** The first of several attributes with the same name counts. */
  onattribend(): void {
    if (this.#name === 'http-equiv') this.#equivalent ??= this.#value
    else if (this.#name === 'content') this.#content ??= this.#value
  }

  onopentagend(): void {
    if (this.#isMeta && this.#content !== undefined && this.#equivalent?.trim().toLowerCase() === 'refresh')
      this.contents.push(this.#content)
    this.#isMeta = false
  }

  onselfclosingtag(): void {
    this.onopentagend()
  }

  isInForeignContext(): boolean {
    return false
  }

  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  ontextentity(): void {}
}
