import type { Detector } from '../src/engine/page/detector.ts'

export const text: Detector = {
  key: 'text',
  about: 'The visible text',
  family: 'content',
  word: 'literal',
  hostingProof: 8,
  *read({ text }) {
    yield { name: '', text }
  },
}
