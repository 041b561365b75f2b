import type { Place, WordKind } from '../engine/rule/place.ts'

/** How a word is written: in words, and where it can be said as a pattern. */
interface WordForm {
  readonly says: string
  readonly pattern?: string
}

const KINDS: Readonly<Record<WordKind, WordForm>> = {
  name: { says: 'a name, or the beginning of one with * at its end' },
  value: { says: 'a value' },
  locator: { says: 'a locator: x.y, .x.y, docs.*, x.y/p, /p, with * at the end for however it goes on' },
  literal: { says: 'a literal of at least three characters' },
  selector: { says: 'a CSS selector' },
  path: { says: 'Type, or Type.field.field', pattern: '^[^.\\s/:#]+(?:\\.[^.\\s]+)*$' },
}

/** Places with narrower words than their kind: any other word would never be found. */
const PLACES: Readonly<Record<string, WordForm>> = {
  status: { says: 'a status code: three digits', pattern: '^[1-5]\\d\\d$' },
  favicon: { says: 'a hash: a whole number', pattern: '^-?\\d+$' },
  header: { says: 'a header name, or the beginning of one with * at its end', pattern: '^[^\\s:]+$' },
  cookie: { says: 'a cookie name, or the beginning of one with * at its end', pattern: '^[^\\s=;]+$' },
  link: { says: 'one token of a rel, or the beginning of one with * at its end', pattern: '^\\S+$' },
}

/** How the words of a place are written. */
export function wordOf({ key, word }: Place): WordForm {
  return PLACES[key] ?? KINDS[word]
}
