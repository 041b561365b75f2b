import type { Tape } from './page-types.ts'

/** Reads an attribute by its lower-case name; undefined if the element does not have it. */
export function readAttribute(tape: Tape, at: number, name: string): string | undefined {
  for (let k = tape.attributes[at], end = tape.attributes[at + 1]; k < end; k++)
    if (tape.names[k] === name) return tape.values[k]
  return undefined
}

/**
 * Finds the elements in templates, whose content a browser neither loads nor runs. A declarative shadow root is written as
 * a template too, but its content is part of the page (HTML standard).
 * @returns whether the element at a position is in a template
 */
export function findTemplateContent(tape: Tape): (at: number) => boolean {
  const { tags, parents } = tape
  if (!tags.includes('template')) return () => false
  const inside = new Uint8Array(tags.length)
  for (let at = 0; at < tags.length; at++) {
    const parent = parents[at]
    if (parent < 0) continue
    const isTemplate = tags[parent] === 'template' && readAttribute(tape, parent, 'shadowrootmode') === undefined
    if (isTemplate || inside[parent] === 1) inside[at] = 1
  }
  return (at) => inside[at] === 1
}

/**
 * Maximum number of characters of an element's text that are read. Elements nest, and each contains the text of all its
 * descendants.
 */
const MAX_TEXT_CHARACTERS = 65_536

/** Reads the first `characters` of an element's text. Scripts and style sheets, in which nothing nests, are read completely. */
export function readText(tape: Tape, at: number, characters = MAX_TEXT_CHARACTERS): string {
  const tag = tape.tags[at]
  const most = tag === 'script' || tag === 'style' ? Number.POSITIVE_INFINITY : characters
  let text = ''
  for (let i = tape.textFrom[at]; i < tape.textTo[at] && text.length < most; i++) text += tape.texts[i]
  return text.length > most ? text.slice(0, most) : text
}
