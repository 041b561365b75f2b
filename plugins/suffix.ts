import { getPublicSuffix } from 'tldts'
import type { Detector } from '../src/engine/page/detector.ts'

export const suffix: Detector = {
  key: 'suffix',
  about: "A label of the public suffix of the page's host: `gov` and `uk` for example.gov.uk",
  family: 'address',
  word: 'value',
  wordForm: { says: 'a label of a public suffix', pattern: '^[a-z0-9-]+$' },
  seen: (page) => page.url !== null,
  *read({ url }) {
    const labels = url === null ? [] : (getPublicSuffix(url.host)?.split('.') ?? [])
    for (const name of new Set(labels)) yield { name, text: name }
  },
}
