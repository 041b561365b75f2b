import type { Detector } from '../src/engine/page/detector.ts'

export const cookie: Detector = {
  key: 'cookie',
  about: 'A cookie that the response (Set-Cookie) or, in a browser, the page sets, by name; its value',
  family: 'response',
  word: 'name',
  wordForm: {
    says: 'a cookie name, or the beginning of one with * at its end',
    pattern: '^[^\\s=;]+$',
  },
  hostingProof: 5,
  seen: (page) => page.headers !== null,
  *read({ headers, cookies }, wanted) {
    for (const [name, text] of cookies) if (wanted.has(name)) yield { name, text }
    for (const [header, value] of headers ?? []) {
      if (header !== 'set-cookie') continue
      const [pair] = value.split(';', 1)
      const equals = pair.indexOf('=')
      const name = pair.slice(0, Math.max(0, equals)).trim()
      if (name !== '' && wanted.has(name)) yield { name, text: pair.slice(equals + 1).trim() }
    }
  },
}
