import type { Detector, Found } from '../src/engine/page/detector.ts'

export const element: Detector = {
  key: 'element',
  about: 'An element, by a CSS selector; its text, or an attribute with `attr`',
  family: 'markup',
  word: 'selector',
  read(page, wanted) {
    const found: Found[] = []
    for (let at = 0; at < page.tape.tags.length; at++) {
      const names = wanted.selectors(page, at)
      for (let i = 0; i < names.length; i++) found.push({ name: names[i], at })
    }
    return found
  },
}
