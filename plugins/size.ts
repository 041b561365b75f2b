import type { Detector } from '../src/engine/page/detector.ts'
import type { Tape } from '../src/engine/page/page-types.ts'

/** Characters of a paragraph. Shorter `p` elements are captions, teasers and remarks. */
const MIN_PARAGRAPH_CHARACTERS = 120

export const size: Detector = {
  key: 'size',
  about:
    'The amount of visible text, in words or characters, of links, or of paragraphs with 120 characters or more; the hit is the amount itself',
  family: 'content',
  word: 'name',
  names: ['words', 'characters', 'links', 'paragraphs'],
  isAmount: true,
  *read({ text, words, tape }, wanted) {
    const counts = wanted.has('links') || wanted.has('paragraphs') ? countElements(tape) : {}
    for (const [name, amount] of Object.entries({ words, characters: text.length, ...counts }))
      yield { name, text: String(amount), amount }
  },
}

function countElements({ tags, texts, textFrom, textTo }: Tape): { links: number; paragraphs: number } {
  let [links, paragraphs] = [0, 0]
  for (let at = 0; at < tags.length; at++) {
    if (tags[at] === 'a') links++
    if (tags[at] !== 'p') continue
    let characters = 0
    for (let part = textFrom[at]; part < textTo[at] && characters < MIN_PARAGRAPH_CHARACTERS; part++)
      characters += texts[part].length
    if (characters >= MIN_PARAGRAPH_CHARACTERS) paragraphs++
  }
  return { links, paragraphs }
}
