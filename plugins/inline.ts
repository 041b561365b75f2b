import type { Detector } from '../src/engine/page/detector.ts'

export const inline: Detector = {
  key: 'inline',
  about: 'An inline script, of any type except JSON',
  family: 'code',
  word: 'literal',
  *read({ scripts }) {
    for (const text of scripts) yield { name: '', text }
  },
}
