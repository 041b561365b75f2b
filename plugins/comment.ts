import type { Detector } from '../src/engine/page/detector.ts'

export const comment: Detector = {
  key: 'comment',
  about: 'An HTML comment',
  family: 'markup',
  word: 'literal',
  read({ comments }) {
    return comments.map((text) => ({ name: '', text }))
  },
}
