import type { Detector } from '../src/engine/page/detector.ts'

export const status: Detector = {
  key: 'status',
  about: 'The final status code',
  family: 'response',
  word: 'value',
  wordForm: { says: 'a status code: three digits', pattern: '^[1-5]\\d\\d$' },
  seen: (page) => page.status !== null,
  *read({ status }) {
    if (status !== null) yield { name: String(status), text: String(status) }
  },
}
