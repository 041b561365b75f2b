import type { Detector, Family, UrlKind } from '../src/engine/types.ts'

/** A detector of the URLs of one kind: they differ in nothing but where they stand. */
export function urlDetector(key: UrlKind, family: Family, about: string): Detector {
  return {
    key,
    about,
    family,
    word: 'locator',
    *read({ urls }) {
      for (const { kind, url, at } of urls) if (kind === key) yield { name: '', text: url.href, url, at }
    },
  }
}
