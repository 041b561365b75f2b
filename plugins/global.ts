import type { Detector } from '../src/engine/page/detector.ts'

export const global: Detector = {
  key: 'global',
  about: 'A property of `window` in a browser that has run the page, by its path; its value as text',
  family: 'code',
  word: 'name',
  wordForm: {
    says: 'a path from window, with its case: Shopify.theme',
    pattern: '^[A-Za-z_$][\\w$]*(?:\\.[A-Za-z_$][\\w$]*)*$',
  },
  isExact: true,
  seen: (page) => page.globals !== null,
  *read({ globals }, wanted) {
    for (const [name, text] of globals ?? []) if (wanted.has(name)) yield { name, text }
  },
}
