// A comment, or CDATA that may stand in a script comment, around the data.
const OPENING = /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)/
const CLOSING = /(?:-->|(?:(?:\/\/|\/\*)\s*)?\]\]>(?:\s*\*\/)?)$/
/** Characters that a closing wrapper may take: the pattern reads no more, for it would cost by the square of white space. */
const TAIL = 64

// Tried in turn: most blocks need none.
const MENDS: readonly ((text: string) => string)[] = [
  (text) => text,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is mended.
  (text) => text.replace(/[\x00-\x1f]+/g, ' ').replace(/,\s*([}\]])/g, '$1'),
  (text) => text.replace(/&quot;/g, '"'),
]

/** Nesting of brackets up to which a block is parsed; detectors look no deeper than 32. */
const MAX_DEPTH = 64
/** Blocks of a page that are parsed, and their characters together. The largest of 711 real pages have 5 and 27,000. */
const MAX_BLOCKS = 256
const MAX_CHARACTERS = 512 * 1024

/** Parses the JSON-LD blocks of one page. Blocks that cost too much are left out before they are parsed. */
export class JsonLdParser {
  readonly blocks: unknown[] = []
  #count = 0
  #characters = 0
  #deep = 0
  #large = 0

  add(source: string): void {
    this.#count++
    if (this.#count > MAX_BLOCKS || this.#characters + source.length > MAX_CHARACTERS) {
      this.#large++
      return
    }
    this.#characters += source.length
    if (isDeep(source)) {
      this.#deep++
      return
    }
    const data = parseJsonLd(source)
    if (data !== null) this.blocks.push(data)
  }

  /** One sentence for each reason why blocks were left out. */
  get warnings(): string[] {
    const warnings: string[] = []
    if (this.#deep > 0)
      warnings.push(`${this.#deep} JSON-LD blocks were not parsed: their data is nested deeper than ${MAX_DEPTH}`)
    if (this.#large > 0)
      warnings.push(
        `${this.#large} JSON-LD blocks were not parsed: only ${MAX_BLOCKS} blocks of ${MAX_CHARACTERS} characters together are`,
      )
    return warnings
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Whether brackets outside strings are nested too deep. */
function isDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) inString = !inString
    else if (code === BACKSLASH) i++
    else if (inString) continue
    else if (code === 91 || code === 123) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}

/** A JSON-LD block, parsed; null when it cannot be mended. Wrappers and raw control characters are common, and harmless. */
function parseJsonLd(source: string): unknown {
  const bare = stripEnd(source.trimStart().replace(OPENING, ''))
  const tried = new Set<string>()
  for (const mend of MENDS) {
    const text = mend(bare)
    if (tried.has(text)) continue
    tried.add(text)
    try {
      return JSON.parse(text)
    } catch {}
  }
  return null
}

function stripEnd(text: string): string {
  let end = text.length
  while (end > 0 && /[\s;]/.test(text[end - 1])) end--
  const tail = Math.max(0, end - TAIL)
  return text.slice(0, tail) + text.slice(tail, end).replace(CLOSING, '')
}
