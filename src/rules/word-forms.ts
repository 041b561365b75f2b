import type { Place, WordKind } from '../engine/rule/place.ts'

/** Form of a word: a description, and a pattern if there is one. */
interface WordForm {
  readonly says: string
  readonly pattern?: string
}

const KINDS: Readonly<Record<WordKind, WordForm>> = {
  name: { says: 'a name, or the beginning of one with * at its end' },
  value: { says: 'a value' },
  locator: { says: 'a locator: x.y, .x.y, docs.*, x.y/p, /p, with * at the end for any continuation' },
  literal: { says: 'a literal of at least three characters' },
  selector: { says: 'a CSS selector' },
  path: { says: 'Type, or Type.field.field', pattern: '^[^.\\s/:#]+(?:\\.[^.\\s]+)*$' },
}

/** Places whose words have a narrower form than their kind. Any other word would never be found. */
const PLACES: Readonly<Record<string, WordForm>> = {
  status: { says: 'a status code: three digits', pattern: '^[1-5]\\d\\d$' },
  favicon: { says: 'a hash: a whole number', pattern: '^-?\\d+$' },
  header: { says: 'a header name, or the beginning of one with * at its end', pattern: '^[^\\s:]+$' },
  cookie: { says: 'a cookie name, or the beginning of one with * at its end', pattern: '^[^\\s=;]+$' },
  link: { says: 'one token of a rel, or the beginning of one with * at its end', pattern: '^\\S+$' },
}

/** Returns the form of the words of a place. */
export function wordOf({ key, word }: Place): WordForm {
  return PLACES[key] ?? KINDS[word]
}
