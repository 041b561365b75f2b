import type { Detector } from '../src/engine/page/detector.ts'

export const title: Detector = {
  key: 'title',
  about: "The document's title",
  family: 'declared',
  word: 'literal',
  *read({ title }) {
    if (title !== null) yield { name: '', text: title }
  },
}
