import type { Detector } from '../src/engine/page/detector.ts'

export const favicon: Detector = {
  key: 'favicon',
  about: 'The mmh3 hash of the favicon, as Shodan computes it',
  family: 'side',
  word: 'value',
  wordForm: { says: 'a hash: a whole number', pattern: '^-?\\d+$' },
  seen: (page) => page.favicon !== null,
  *read({ favicon }) {
    if (favicon !== null) yield { name: String(favicon), text: String(favicon) }
  },
}
