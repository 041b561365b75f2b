import type { Detector } from '../src/engine/page/detector.ts'

export const size: Detector = {
  key: 'size',
  about: 'The amount of visible text, in words or characters; the hit is the amount itself',
  family: 'content',
  word: 'name',
  names: ['words', 'characters'],
  isAmount: true,
  *read({ text, words }) {
    for (const [name, amount] of [
      ['words', words],
      ['characters', text.length],
    ] as const)
      yield { name, text: String(amount), amount }
  },
}
