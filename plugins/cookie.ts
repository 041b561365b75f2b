import type { Detector } from '../src/engine/types.ts'

export const cookie: Detector = {
  key: 'cookie',
  about: 'A cookie that the answer sets (Set-Cookie), by name; its value',
  family: 'response',
  word: 'name',
  seen: (page) => page.headers !== null,
  *read({ headers }, wanted) {
    for (const [header, value] of headers ?? []) {
      if (header !== 'set-cookie') continue
      const [, name, text] = /^\s*([^=;]*?)\s*=\s*([^;]*?)\s*(?:;|$)/.exec(value) ?? []
      if (name && wanted.has(name)) yield { name, text }
    }
  },
}
