import { Tokenizer } from 'htmlparser2'

/** What htmlparser2's tokenizer keeps while it reads. */
interface Reading {
  index: number
  readonly buffer: string
  readonly offset: number
}

const MARKS = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** Goes to the next place of a mark, or to the last character: htmlparser2 looks at letter after letter, where V8's search takes a tenth of the time. */
function fastForwardTo(this: Reading, code: number): boolean {
  const at = this.buffer.indexOf(MARKS[code], this.index - this.offset + 1)
  this.index = (at < 0 ? this.buffer.length - 1 : at) + this.offset
  return at >= 0
}

/** htmlparser2's tokenizer with a quicker search. The method is private: our version of it is fixed, and a test holds one to the other. */
export class QuickTokenizer extends Tokenizer {}

Object.assign(QuickTokenizer.prototype, { fastForwardTo })
