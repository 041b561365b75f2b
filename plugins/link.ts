import type { Detector } from '../src/engine/page/detector.ts'

export const link: Detector = {
  key: 'link',
  about:
    'A link tag, or a link of a `Link` header that loads files or connects to hosts, by one token of its rel; its href',
  family: 'loaded',
  word: 'name',
  wordForm: {
    says: 'one token of a rel, or the beginning of one with * at its end',
    pattern: '^\\S+$',
  },
  *read({ urls }, wanted) {
    for (const { rel, url, at } of urls)
      for (const name of rel) if (wanted.has(name)) yield { name, text: url.href, url, at }
  },
}
