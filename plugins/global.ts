import type { Detector } from '../src/engine/page/detector.ts'

/** A value that is a version: numbers with dots, and what may follow. */
const VERSION = /^v?(\d{1,5}(?:\.\d{1,5}){1,3})(?![.\d])/

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
  hasVersions: true,
  areCodes: true,
  seen: (page) => page.globals !== null,
  *read({ globals }, wanted) {
    for (const [name, text] of globals ?? [])
      if (wanted.has(name)) yield { name, text, version: VERSION.exec(text)?.[1] }
  },
  example: (name) => ({
    hits: [],
    misses: [],
    globals: { hits: { [name]: '1.2.3' }, misses: buildSimilar(name) },
  }),
}

/** Properties with similar names: one with the other case, longer ones, and one of another object. */
function buildSimilar(name: string): Readonly<Record<string, string>> {
  const swapped = name.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
  return Object.fromEntries([swapped, `${name}0`, `my.${name}`, `_${name}`].map((one) => [one, '1.2.3']))
}
