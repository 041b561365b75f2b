import { Tokenizer } from 'htmlparser2'

/** The private state of htmlparser2's tokenizer. */
interface TokenizerState {
  index: number
  readonly buffer: string
  readonly offset: number
}

const CHARACTERS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/**
 * Moves to the next occurrence of a character, or to the last character. V8's search takes a tenth of the time of
 * htmlparser2's loop over characters.
 */
function fastForwardTo(this: TokenizerState, code: number): boolean {
  const at = this.buffer.indexOf(CHARACTERS[code], this.index - this.offset + 1)
  this.index = (at < 0 ? this.buffer.length - 1 : at) + this.offset
  return at >= 0
}

/** htmlparser2's tokenizer with a faster search. The method is private, so the version is pinned and a test compares both. */
export class QuickTokenizer extends Tokenizer {}

Object.assign(QuickTokenizer.prototype, { fastForwardTo })
