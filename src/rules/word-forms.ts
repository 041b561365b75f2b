import type { Place, WordForm, WordKind } from '../engine/rule/place.ts'

const KINDS: Readonly<Record<WordKind, WordForm>> = {
  name: { says: 'a name, or the beginning of one with * at its end' },
  value: { says: 'a value' },
  locator: { says: 'a locator: x.y, .x.y, docs.*, x.y/p, /p, with * at the end for any continuation' },
  literal: { says: 'a literal of at least three characters' },
  selector: { says: 'a CSS selector' },
  path: { says: 'Type, or Type.field.field', pattern: '^[^.\\s/:#]+(?:\\.[^.\\s]+)*$' },
}

/** Finds the form in which the words of a place are written. */
export function findWordForm({ word, wordForm }: Place): WordForm {
  return wordForm ?? KINDS[word]
}
