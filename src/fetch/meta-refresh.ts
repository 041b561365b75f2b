import type { TokenizerCallbacks } from 'htmlparser2'
import { EntityDecoder } from '../engine/page/entity-decoder.ts'
import { QuickTokenizer } from '../engine/page/quick-tokenizer.ts'

/** Bytes of a page in which a refresh is looked for: it belongs into the head. */
const HEAD_BYTES = 65_536
// Cheap first look, since few pages have a refresh. Linear: no two runs of white space stand next to each other, in which
// a failing match would try every split (15 s for 64 KiB of spaces).
const HINT = /http-equiv\s*=\s*(?:["']\s*)?refresh/i
// Browsers that run scripts do not obey what stands in these elements.
const INERT: ReadonlySet<string> = new Set(['noscript', 'template'])

/**
 * Contents of the `<meta http-equiv=refresh>` elements that a browser with scripts obeys, in document order.
 * The names are ASCII in every charset that browsers accept, so the bytes are read as Latin-1.
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

/** Reads only `<meta>` elements: building a tape of a hostile page takes up to 40 ms of the event loop, this 5 ms. */
class RefreshFinder implements TokenizerCallbacks {
  readonly contents: string[] = []
  readonly #html: string
  readonly #cutter: EntityDecoder
  /** The inert element that is open: only its own end tag closes it. */
  #inert = ''
  /** Elements of that name that are open; browsers do not nest `<noscript>`, whose content is text to them. */
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

  /** Of an attribute that is repeated, the first one counts. */
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
