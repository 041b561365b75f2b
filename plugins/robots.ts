import type { Detector } from '../src/engine/page/detector.ts'

export const robots: Detector = {
  key: 'robots',
  about: 'The robots.txt of the host',
  family: 'side',
  word: 'literal',
  seen: (page) => page.robots !== null,
  *read({ robots }) {
    if (robots !== null) yield { name: '', text: robots }
  },
}
