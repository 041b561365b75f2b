import type { Detector } from '../src/engine/page/detector.ts'

export const inline: Detector = {
  key: 'inline',
  about: 'A script without src, data blocks included, JSON-LD not',
  family: 'code',
  word: 'literal',
  *read({ scripts }) {
    for (const text of scripts) yield { name: '', text }
  },
}
