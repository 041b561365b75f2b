import type { Detector, Found } from '../src/engine/page/detector.ts'
import type { UrlKind } from '../src/engine/page/page-types.ts'
import type { Family } from '../src/engine/rule/place.ts'
import type { PageUrl } from '../src/engine/text/url.ts'

/** Builds a detector for the URLs of one kind. */
export function buildUrlDetector(key: UrlKind, family: Family, about: string): Detector {
  return {
    key,
    about,
    family,
    word: 'locator',
    read({ urls, tags }) {
      const found: Found[] = []
      const seen = new Set<PageUrl>() // A URL that a page contains many times counts once.
      for (const { kind, url, at } of urls) {
        if (kind !== key || seen.has(url)) continue
        seen.add(url)
        found.push({ name: '', text: url.href, url, at })
      }
      for (const { urls: added, through, isConditional } of tags ?? [])
        for (const { kind, url } of added)
          if (kind === key) found.push({ name: '', text: url.href, url, through, isConditional })
      return found
    },
  }
}
