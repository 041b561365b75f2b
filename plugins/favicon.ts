import type { Detector } from '../src/engine/page/detector.ts'

export const favicon: Detector = {
  key: 'favicon',
  about: 'The mmh3 hash of the favicon, as Shodan counts it',
  family: 'side',
  word: 'value',
  seen: (page) => page.favicon !== null,
  *read({ favicon }) {
    if (favicon !== null) yield { name: String(favicon), text: String(favicon) }
  },
}
