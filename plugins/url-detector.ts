import type { Detector, Found } from '../src/engine/page/detector.ts'
import type { UrlKind } from '../src/engine/page/page-types.ts'
import type { Family } from '../src/engine/rule/place.ts'
import type { PageUrl } from '../src/engine/text/url.ts'

/** A detector of the URLs of one kind: they differ in nothing but where they stand. */
export function buildUrlDetector(key: UrlKind, family: Family, about: string): Detector {
  return {
    key,
    about,
    family,
    word: 'locator',
    read({ urls }) {
      const found: Found[] = []
      const told = new Set<PageUrl>() // Pages lead to one place many times: it counts once.
      for (const { kind, url, at } of urls) {
        if (kind !== key || told.has(url)) continue
        told.add(url)
        found.push({ name: '', text: url.href, url, at })
      }
      return found
    },
  }
}
