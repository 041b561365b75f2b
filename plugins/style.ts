import type { Detector } from '../src/engine/page/detector.ts'

export const style: Detector = {
  key: 'style',
  about: 'An inline style sheet',
  family: 'code',
  word: 'literal',
  *read({ styles }) {
    for (const text of styles) yield { name: '', text }
  },
}
