import { formatCountWas } from '../text/count.ts'

// An HTML comment around the data, or CDATA, which may itself be in a script comment.
const OPENING = /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)/
const CLOSING = /(?:-->|(?:(?:\/\/|\/\*)\s*)?\]\]>(?:\s*\*\/)?)$/
/**
 * Number of characters in which a closing wrapper is searched: the cost of the pattern grows with the square of white
 * space.
 */
const MAX_CLOSING_CHARACTERS = 64

// Tried in turn. Most blocks parse unchanged.
const REPAIRS: readonly ((text: string) => string)[] = [
  (text) => text,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is repaired.
  (text) => text.replace(/[\x00-\x1f]+/g, ' ').replace(/,\s*([}\]])/g, '$1'),
  (text) => text.replace(/&quot;/g, '"'),
]

/** Maximum bracket depth of a block that is parsed. The detector reads 32 levels of it. */
const MAX_DEPTH = 64
/**
 * Maximum number of blocks of a page that are parsed, and of their characters in total. The maxima of 711 real pages
 * are 5 and 27,000.
 */
const MAX_BLOCKS = 256
const MAX_CHARACTERS = 512 * 1024

/** Parses the JSON-LD blocks of one page. Blocks beyond the bounds are skipped before parsing. */
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

  /** One sentence for each reason why blocks were skipped. */
  get warnings(): string[] {
    const warnings: string[] = []
    if (this.#deep > 0)
      warnings.push(
        `${formatCountWas(this.#deep, 'JSON-LD block')} not parsed: the data is nested deeper than ${MAX_DEPTH}`,
      )
    if (this.#large > 0)
      warnings.push(
        `${formatCountWas(this.#large, 'JSON-LD block')} not parsed: the limit is ${MAX_BLOCKS} blocks and ${MAX_CHARACTERS} characters in total`,
      )
    return warnings
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Whether brackets outside of strings are nested too deep. */
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

/** Parses a JSON-LD block; null if it cannot be repaired. Wrappers and raw control characters are common and harmless. */
function parseJsonLd(source: string): unknown {
  const bare = stripClosing(source.trimStart().replace(OPENING, ''))
  const tried = new Set<string>()
  for (const repair of REPAIRS) {
    const text = repair(bare)
    if (tried.has(text)) continue
    tried.add(text)
    try {
      return JSON.parse(text)
    } catch {}
  }
  return null
}

function stripClosing(text: string): string {
  let end = text.length
  while (end > 0 && /[\s;]/.test(text[end - 1])) end--
  const tail = Math.max(0, end - MAX_CLOSING_CHARACTERS)
  return text.slice(0, tail) + text.slice(tail, end).replace(CLOSING, '')
}
