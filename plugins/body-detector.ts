import type { Detector } from '../src/engine/page/detector.ts'

/**
 * Builds a detector for the text of files that a page loads. A bundle can be 1 MiB long, so tests see only a part of it
 * around each literal.
 */
export function buildBodyDetector(key: string, about: string, part: 'bundles' | 'stylesheets'): Detector {
  return {
    key,
    about,
    family: 'code',
    word: 'literal',
    wordForm: { says: 'a distinctive literal of at least five characters' },
    windowCharacters: 200,
    seen: (page) => page[part]?.isComplete === true,
    *read(page) {
      for (const { url, text } of page[part]?.bodies ?? []) yield { name: '', text, url }
    },
  }
}
