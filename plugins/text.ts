import type { Detector } from '../src/engine/page/detector.ts'

export const text: Detector = {
  key: 'text',
  about: 'The visible text',
  family: 'content',
  word: 'literal',
  *read({ text }) {
    yield { name: '', text }
  },
}
