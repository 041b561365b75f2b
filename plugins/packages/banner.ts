import type { PackageName } from './package-address.ts'

/** Maximum number of characters of a comment that are read, and of comments of one script. */
const MAX_CHARACTERS = 120
const MAX_COMMENTS = 2000
/** `/*! swiper v11.0.5`, `/** @license React v16.13.1`, `/*! Bootstrap.js 5.3.0`: one word, then its version. */
const BANNER =
  /^\/\*[!*]?[\s*]{0,8}(?:@(?:license|preserve)\s{1,4})?((?:@[\w.-]{1,40}\/)?[a-z][\w.-]{0,60})\s{1,4}(?:-\s)?v?(\d+\.\d+[\w.-]{0,30})/i

interface Banner extends PackageName {
  readonly text: string
}

/** Reads the packages that the comments of a bundle name, which minifiers keep for their licences. */
export function* readBanners(text: string): Iterable<Banner> {
  let at = text.indexOf('/*')
  for (let count = 0; at >= 0 && count < MAX_COMMENTS; count++) {
    const [banner, written, version] = BANNER.exec(text.slice(at, at + MAX_CHARACTERS)) ?? []
    if (banner !== undefined && written !== undefined)
      yield { name: trimEnding(written), version: readDigits(version), text: banner }
    at = text.indexOf('/*', at + 2)
  }
}

function trimEnding(name: string): string {
  return name.replace(/\.js$/i, '')
}

function readDigits(version: string | undefined): string | undefined {
  return version === undefined ? undefined : /^\d+(?:\.\d+)*/.exec(version)?.[0]
}
