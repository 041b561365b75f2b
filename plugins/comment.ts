import type { Detector } from '../src/engine/page/detector.ts'

export const comment: Detector = {
  key: 'comment',
  about: 'An HTML comment',
  family: 'markup',
  word: 'literal',
  *read({ comments }) {
    for (const text of comments) yield { name: '', text }
  },
}
