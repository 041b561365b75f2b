import type { Detector } from '../src/engine/page/detector.ts'

export const html: Detector = {
  key: 'html',
  about: 'The whole HTML source',
  family: 'content',
  word: 'literal',
  *read({ html }) {
    yield { name: '', text: html }
  },
}
