import type { Tape } from './page-types.ts'

/** Value of an attribute; undefined when the element has none of that name (lower case). */
export function readAttribute(tape: Tape, at: number, name: string): string | undefined {
  for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++)
    if (tape.names[k] === name) return tape.values[k]
  return undefined
}

/** Characters of an element's text that are read: elements nest, and each holds the text of all that is in it. */
const MAX_TEXT = 65_536

/** Text of an element: its first `characters`; of a script or style sheet, in which nothing nests, all. */
export function readText(tape: Tape, at: number, characters = MAX_TEXT): string {
  const tag = tape.tags[at]
  const most = tag === 'script' || tag === 'style' ? Number.POSITIVE_INFINITY : characters
  let text = ''
  for (let i = tape.textFrom[at]; i < tape.textTo[at] && text.length < most; i++) text += tape.texts[i]
  return text.length > most ? text.slice(0, most) : text
}
