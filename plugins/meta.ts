import type { Detector } from '../src/engine/page/detector.ts'
import { readAttribute } from '../src/engine/page/element.ts'

export const meta: Detector = {
  key: 'meta',
  about: 'A meta tag, by its name, property or itemprop; its content',
  family: 'declared',
  word: 'name',
  *read({ tape }, wanted) {
    for (let at = 0; at < tape.tags.length; at++) {
      if (tape.tags[at] !== 'meta') continue
      const text = readAttribute(tape, at, 'content')?.trim()
      if (text === undefined) continue
      for (const key of ['name', 'property', 'itemprop']) {
        const name = readAttribute(tape, at, key)?.trim()
        if (name && wanted.has(name)) yield { name, text, at }
      }
    }
  },
}
