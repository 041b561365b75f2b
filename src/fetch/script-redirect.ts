import { QuickTokenizer } from '../engine/page/quick-tokenizer.ts'
import { UnreadTokens } from '../engine/page/unread-tokens.ts'
import { decodeHtml } from '../engine/text/charset.ts'

/** Longer pages are not searched: they are more than a redirect. */
const MAX_PAGE_BYTES = 65_536
/** Longer scripts do more than assign an address. */
const MAX_SCRIPT_CHARACTERS = 8192

/** What a page may have around the one statement of its script: the ways in which old browsers were made to skip scripts. */
const WRAPPERS: readonly RegExp[] = [
  /^\/\/\s*<!\[CDATA\[|^<!--/,
  /\/\/\s*\]\]>$|(?:\/\/\s*)?-->$/,
  /^(['"])use strict\1\s*;/,
]
const ASSIGNMENT =
  /^(?:(?:window|document|self|top|parent|globalThis)\s*\.\s*){0,2}location\s*(?:\.\s*href\s*)?=\s*("(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'|`(?:[^`\\$]|\\.)*`)\s*;?$/
const CALL =
  /^(?:(?:window|document|self|top|parent|globalThis)\s*\.\s*){0,2}location\s*\.\s*(?:replace|assign)\s*\(\s*("(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'|`(?:[^`\\$]|\\.)*`)\s*\)\s*;?$/
/** Escapes of a string literal: the code of a character, or the character itself unless it has a meaning. */
const ESCAPE = /\\(?:x([\da-f]{2})|u([\da-f]{4})|([^\da-z\n\r]))/gi

/**
 * Finds the address to which a page leads whose only content is a script, and whose script is a single statement that assigns a literal
 * address to `location`. The script is read as text and never executed.
 * @param contentType the `Content-Type` header, for the charset
 * @returns the address as written, relative or absolute; null for any other page
 */
export function findScriptRedirect(html: Uint8Array, contentType: string | undefined): string | null {
  if (html.length === 0 || html.length > MAX_PAGE_BYTES) return null
  const text = decodeHtml(html, contentType)
  if (!text.includes('location')) return null
  const script = new ScriptReader(text).read()
  return script === null || script.length > MAX_SCRIPT_CHARACTERS ? null : readAddress(script)
}

/** Reads the address of a script that consists of one assignment to `location`. */
function readAddress(script: string): string | null {
  const statement = WRAPPERS.reduce((rest, wrapper) => rest.replace(wrapper, '').trim(), script.trim())
  const literal = (ASSIGNMENT.exec(statement) ?? CALL.exec(statement))?.[1]
  if (literal === undefined) return null
  const address = literal
    .slice(1, -1)
    .replace(ESCAPE, (_, byte, unit, character) => character ?? String.fromCharCode(Number.parseInt(byte ?? unit, 16)))
  // A backslash that is left belongs to an escape that addresses do not contain, such as a line break.
  return address.includes('\\') ? null : address
}

/** Elements whose text a browser with scripting does not show. */
const HIDDEN: ReadonlySet<string> = new Set(['noscript', 'script', 'style', 'template', 'title'])
/** Types of scripts that are executed (HTML standard, "JavaScript MIME type"). */
const EXECUTED_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i
/** Text that shows nothing. */
const BLANK = /^(?:\s|&nbsp;|&#160;|&#xa0;)*$/i

/** Finds the only executed script of a page without visible text. */
class ScriptReader extends UnreadTokens {
  readonly #html: string
  /** The open hidden element. Elements inside of it count as its text. */
  #hidden = ''
  #depth = 0
  #attribute = ''
  #value = ''
  #type = ''
  #hasSource = false
  #scripts: string[] = []
  #isOther = false
  #tokenizer: QuickTokenizer | null = null

  constructor(html: string) {
    super()
    this.#html = html
  }

  /** @returns null if there is visible text, no script, a second script, a script with a URL, or another base URL */
  read(): string | null {
    this.#tokenizer = new QuickTokenizer({ decodeEntities: false }, this)
    this.#tokenizer.write(this.#html)
    if (!this.#isOther) this.#tokenizer.end()
    this.#tokenizer = null
    return this.#isOther || this.#scripts.length !== 1 ? null : this.#scripts[0]
  }

  onopentagname(start: number, end: number): void {
    const name = this.#html.slice(start, end).toLowerCase()
    if (this.#hidden !== '') {
      // Templates nest. A browser with scripting treats the content of `noscript` as text.
      if (name === 'template' && name === this.#hidden) this.#depth++
      return
    }
    if (name === 'base') this.#stop()
    if (!HIDDEN.has(name)) return
    this.#hidden = name
    this.#depth = 1
    this.#type = ''
    this.#hasSource = false
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#hidden === 'script' ? this.#html.slice(start, end).toLowerCase() : ''
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === 'type') this.#value += this.#html.slice(start, end)
  }

  onattribend(): void {
    if (this.#attribute === 'src') this.#hasSource = true
    else if (this.#attribute === 'type') this.#type = this.#value.trim()
  }

  onopentagend(): void {
    if (this.#hidden !== 'script' || !EXECUTED_TYPE.test(this.#type)) return
    if (this.#hasSource || this.#scripts.length > 0) this.#stop()
    else this.#scripts.push('')
  }

  onclosetag(start: number, end: number): void {
    if (this.#html.slice(start, end).toLowerCase() !== this.#hidden) return
    if (--this.#depth === 0) this.#hidden = ''
  }

  ontext(start: number, end: number): void {
    if (this.#hidden === 'script' && EXECUTED_TYPE.test(this.#type)) {
      this.#scripts[0] += this.#html.slice(start, end)
    } else if (this.#hidden === '' && !BLANK.test(this.#html.slice(start, end))) this.#stop()
  }

  #stop(): void {
    this.#isOther = true
    this.#tokenizer?.pause()
  }
}
