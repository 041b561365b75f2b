import type { Detector } from '../src/engine/page/detector.ts'

export const header: Detector = {
  key: 'header',
  about: 'A response header, by name; each value',
  family: 'response',
  word: 'name',
  wordForm: {
    says: 'a header name, or the beginning of one with * at its end',
    pattern: '^[^\\s:]+$',
  },
  hostingProof: 2,
  seen: (page) => page.headers !== null,
  *read({ headers }, wanted) {
    for (const [name, text] of headers ?? []) if (wanted.has(name)) yield { name, text }
  },
}
