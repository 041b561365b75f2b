import type { Page } from '../../src/engine/page/page-types.ts'
import type { PageUrl } from '../../src/engine/text/url.ts'
import { readBanners } from './banner.ts'
import { readImportMaps } from './import-map.ts'
import { isPackageHost, type PackageName, readPackages } from './package-address.ts'

/** A package of npm that a page loads by its name. */
export interface LoadedPackage {
  readonly name: string
  /** Digits and dots as the page states them; null if it states none. */
  readonly version: string | null
  /** Package URL (https://github.com/package-url/purl-spec), with the version if it is a whole one: pkg:npm/jquery@1.12.4 */
  readonly purl: string
}

/** Maximum number of packages in a result. */
export const MAX_PACKAGES = 256
/** Maximum length of a name, which npm has set: https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const MAX_NAME = 214
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*$/
/** A whole version has three numbers; `5` of `bootstrap@5` is a range. */
const WHOLE_VERSION = /^\d+\.\d+\.\d+$/

/**
 * Lists the npm packages that a page loads by their names, whether a rule names them or not, ordered by name and version.
 * @param isKnown whether a rule names a package. Comments of scripts, and paths that only resemble those of packages, count for these
 *   names alone.
 */
export function listPackages(page: Page, isKnown: (name: string) => boolean): readonly LoadedPackage[] {
  const found = new Map<string, Set<string | null>>()
  for (const { name, version } of readNames(page, isKnown)) {
    if (name.length > MAX_NAME || !NAME.test(name)) continue
    if (!found.has(name) && found.size >= MAX_PACKAGES) break
    found.set(name, (found.get(name) ?? new Set()).add(version ?? null))
  }
  const names = [...found.keys()].sort()
  const packages = names.flatMap((name) => {
    const versions = [...(found.get(name) ?? [])].filter((version) => version !== null).sort()
    return (versions.length === 0 ? [null] : versions).map((version) => ({
      name,
      version,
      purl: formatPurl(name, version),
    }))
  })
  return packages.slice(0, MAX_PACKAGES)
}

function* readNames(page: Page, isKnown: (name: string) => boolean): Iterable<PackageName> {
  const seen = new Set<PageUrl>()
  for (const { kind, url } of page.urls) {
    if (kind === 'anchor' || kind === 'frame' || seen.has(url)) continue
    seen.add(url)
    for (const one of readPackages(url))
      if (one.version !== undefined || isPackageHost(url) || isKnown(one.name)) yield one
  }
  yield* readImportMaps(page)
  for (const { text } of page.bundles?.bodies ?? [])
    for (const one of readBanners(text)) if (isKnown(one.name)) yield one
}

/** Formats a package URL of npm: lower case, and a scope as its namespace. */
export function formatPurl(name: string, version: string | null): string {
  const path = name.toLowerCase().split('/').map(encodeURIComponent).join('/')
  return `pkg:npm/${path}${version !== null && WHOLE_VERSION.test(version) ? `@${version}` : ''}`
}
