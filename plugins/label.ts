import type { Detector, Found } from '../src/engine/page/detector.ts'
import { collapse } from '../src/engine/text/text.ts'

/** Maximum length of a label in characters. Longer link texts are headlines or sentences. */
const MAX_LABEL_CHARACTERS = 40
/** Maximum number of parts of text in one link or button: icons and counters are separate elements. */
const MAX_LABEL_PARTS = 12

export const label: Detector = {
  key: 'label',
  about: 'The whole text of a link or button, in lower case; at most 40 characters',
  family: 'content',
  word: 'value',
  wordForm: { says: 'a link text in lower case', pattern: '^[^\\p{Lu}]{1,40}$' },
  read({ tape }, wanted) {
    const found: Found[] = []
    const { tags, texts, textFrom, textTo } = tape
    for (let at = 0; at < tags.length; at++) {
      if (tags[at] !== 'a' && tags[at] !== 'button') continue
      let [from, to] = [textFrom[at], textTo[at]]
      if (to - from > MAX_LABEL_PARTS) continue
      while (from < to && texts[from] === ' ') from++
      while (from < to && texts[to - 1] === ' ') to--
      if (from === to) continue
      let text = texts[from]
      for (let part = from + 1; part < to; part++) text += texts[part]
      if (text.length > 4 * MAX_LABEL_CHARACTERS) continue
      const label = collapse(text)
      if (label.length > MAX_LABEL_CHARACTERS) continue
      const name = label.toLowerCase()
      if (name.length <= MAX_LABEL_CHARACTERS && wanted.has(name)) found.push({ name, text: name, at })
    }
    return found
  },
}
