import { EntityDecoder } from './entity-decoder.ts'
import { QuickTokenizer } from './quick-tokenizer.ts'
import { FOREIGN, INERT } from './tags.ts'
import { UnreadTokens } from './unread-tokens.ts'

/** Attributes of a tag by name. The first of several with the same name counts. */
export type TagAttributes = ReadonlyMap<string, string>

/** Receives a tag with its attributes. @returns false to end the reading */
type VisitTag = (tag: string, attributes: TagAttributes) => boolean

/** Receives the text of an inline script. */
type VisitScript = (text: string) => void

/** Names of the attributes that are read, by name of the element. */
export type WantedTags = ReadonlyMap<string, ReadonlySet<string>>

/** Short start tags that end SVG and MathML, whether or not these are closed (HTML standard, parsing of foreign content). */
const BREAKOUT: ReadonlySet<string> = new Set(
  (
    'b big body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ' +
    'ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

/** Whether a browser ignores an element. @param inert name of the outermost inert element that is open; empty if there is none */
export function isInert(inert: string, tag: string): boolean {
  return inert !== '' && (inert !== 'noscript' || tag !== 'iframe')
}

/**
 * Reads only some start tags of a document, as a browser with scripting sees them: the fetch thread cannot build a tape, which
 * takes up to ten times as long.
 * @param visit is called for each wanted tag in document order
 * @param visitScript is called for each inline script, if scripts are wanted
 */
export function readTags(html: string, wanted: WantedTags, visit: VisitTag, visitScript?: VisitScript): void {
  const reader = new TagReader(html, wanted, { visit, visitScript })
  const tokenizer = new QuickTokenizer({ decodeEntities: false }, reader)
  reader.tokenizer = tokenizer
  tokenizer.write(html)
  if (!reader.isStopped) tokenizer.end()
  reader.tokenizer = null // The two no longer refer to each other, so both are freed early.
}

class TagReader extends UnreadTokens {
  tokenizer: QuickTokenizer | null = null
  isStopped = false
  readonly #html: string
  readonly #wanted: WantedTags
  readonly #visit: VisitTag
  readonly #visitScript: VisitScript | undefined
  readonly #decoder: EntityDecoder
  /** Longer names are not even compared. */
  readonly #longestTag: number
  readonly #longestAttribute: number
  /** Name of the open inert element. Only its own end tag closes it. */
  #inert = ''
  #inertDepth = 0
  /** Number of open SVG and MathML elements, in which a `<title/>` is closed and its text is markup. */
  #foreign = 0
  /** Whether the tag that is read begins one of them. */
  #isForeign = false
  #tag = ''
  #names: ReadonlySet<string> | undefined
  #name = ''
  #value = ''
  #attributes = new Map<string, string>()

  /** Whether the text of an inline script is read, and where it begins and ends. */
  #inScript = false
  #scriptFrom = 0
  #scriptTo = 0

  constructor(
    html: string,
    wanted: WantedTags,
    { visit, visitScript }: { visit: VisitTag; visitScript: VisitScript | undefined },
  ) {
    super()
    this.#html = html
    this.#wanted = wanted
    this.#visit = visit
    this.#visitScript = visitScript
    this.#decoder = new EntityDecoder(html)
    this.#longestTag = findLongest([...INERT, ...wanted.keys()])
    this.#longestAttribute = findLongest([...wanted.values()].flatMap((names) => [...names]))
  }

  onopentagname(start: number, end: number): void {
    this.#names = undefined
    this.#isForeign = false
    if (end - start > this.#longestTag) return
    const name = this.#html.slice(start, end).toLowerCase()
    this.#isForeign = FOREIGN.has(name)
    if (this.#isForeign) this.#foreign++
    else if (this.#foreign > 0 && BREAKOUT.has(name)) this.#foreign = 0
    if (this.#inert === '' && INERT.has(name)) this.#inert = name
    // Browsers do not nest `<noscript>`, because they treat its content as text.
    if (name === this.#inert && (name === 'template' || this.#inertDepth === 0)) this.#inertDepth++
    if (isInert(this.#inert, name)) return
    this.#names = this.#wanted.get(name)
    if (this.#names === undefined) return
    this.#tag = name
    this.#attributes = new Map()
  }

  onclosetag(start: number, end: number): void {
    if (this.#inScript) {
      this.#inScript = false
      this.#visitScript?.(this.#html.slice(Math.max(0, this.#scriptFrom), Math.max(0, this.#scriptTo)))
    }
    if (this.#foreign > 0 && FOREIGN.has(this.#html.slice(start, end).toLowerCase())) this.#foreign--
    if (end - start !== this.#inert.length || this.#html.slice(start, end).toLowerCase() !== this.#inert) return
    if (--this.#inertDepth === 0) this.#inert = ''
  }

  override onselfclosingtag(): void {
    if (this.#isForeign) this.#foreign--
    this.onopentagend()
  }

  override isInForeignContext(): boolean {
    return this.#foreign > 0
  }

  onattribname(start: number, end: number): void {
    this.#name = ''
    this.#value = ''
    if (this.#names === undefined || end - start > this.#longestAttribute) return
    const name = this.#html.slice(start, end).toLowerCase()
    if (this.#names.has(name)) this.#name = name
  }

  onattribdata(start: number, end: number): void {
    if (this.#name !== '') this.#value = this.#decoder.decodeAttribute(start, end)
  }

  onattribend(): void {
    if (this.#name !== '' && !this.#attributes.has(this.#name)) this.#attributes.set(this.#name, this.#value)
  }

  onopentagend(): void {
    if (this.#names === undefined) return
    this.#names = undefined
    this.#inScript = this.#visitScript !== undefined && this.#tag === 'script' && !this.#attributes.has('src')
    this.#scriptFrom = this.#scriptTo = -1
    if (this.#visit(this.#tag, this.#attributes)) return
    this.isStopped = true
    this.tokenizer?.pause()
  }

  ontext(start: number, end: number): void {
    if (!this.#inScript) return
    if (this.#scriptFrom < 0) this.#scriptFrom = start
    this.#scriptTo = end
  }
}

function findLongest(names: readonly string[]): number {
  return Math.max(...names.map(({ length }) => length))
}
