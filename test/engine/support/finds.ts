import type { PlaceIndex } from '../../../src/engine/lookup/place-index.ts'
import { buildPage, type PageInput } from '../../../src/engine/page/page.ts'
import { buildRuleset, compile, technology } from './tiny-rules.ts'

/** Builds the index of one place for rules that look for these words. */
export function buildPlaceIndex(place: string, words: readonly string[]): PlaceIndex {
  const kind = place === 'size' ? { atLeast: 1 } : {}
  const index = buildRuleset(compile([technology('x', { detect: [{ [place]: words, ...kind }] })])).places.get(place)
  if (index === undefined) throw new Error(`no place ${place}`)
  return index
}

/** Reads the finds of a detector: name and text, or for an element its tag. */
export function readFinds(place: string, words: readonly string[], input: PageInput): [string, string][] {
  const page = buildPage(input)
  const index = buildPlaceIndex(place, words)
  return [...index.detector.read(page, index)].map(({ name, text, at = -1 }) => [name, text ?? page.tape.tags[at]])
}

/** A page of which only the document is known. */
export const html = (text: string): PageInput => ({ html: text })
