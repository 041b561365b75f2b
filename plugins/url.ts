import type { Detector } from '../src/engine/page/detector.ts'

export const url: Detector = {
  key: 'url',
  about: 'The final URL of the page',
  family: 'address',
  word: 'locator',
  hostingProof: 1,
  seen: (page) => page.url !== null,
  *read({ url }) {
    if (url !== null) yield { name: '', text: url.href, url }
  },
}
