import type { PageUrl } from '../../src/engine/text/url.ts'
import { CDNJS_NAMES } from './cdnjs-names.ts'
import { GITHUB_PACKAGES } from './github-packages.ts'

/** A package that an address names. */
export interface PackageName {
  readonly name: string
  /** The version as the address has it, digits and dots; a range (`^2`) or a tag (`latest`) is none. */
  readonly version?: string
}

/** `/npm/swiper@11.0.5/…`, also several in one address: `/combine/npm/a@1,npm/b@2`. */
const NPM_FOLDER = /(?:^|[/,])npm\/((?:(?:@|%40)[^/@%]+\/)?[^/@,]+)(?:@([^/,]*))?/g
/** `/gh/fancyapps/fancybox@3.5.7/…` of jsDelivr. */
const GITHUB_FOLDER = /(?:^|[/,])gh\/([^/]+\/[^/@,]+)(?:@([^/,]*))?/g
/** `/ajax/libs/jquery/3.7.1/…` of cdnjs, of Google's libraries, and of their mirrors. */
const CDNJS_FOLDER = /\/ajax\/libs\/([^/]+)\/(?:([^/]+)\/)?/
const INSTALLED = '/node_modules/'
const FIRST_SEGMENT = /^\/((?:(?:@|%40)[^/@%]+\/)?[^/@,]+)(?:@([^/,]*))?(?:\/|$)/
/**
 * Hosts whose paths begin with a package, and what may stand before it: a build number, `*` for a package without its
 * dependencies (esm.sh), `-` or `pin` for a build (Skypack), the registry (JSPM).
 */
const PACKAGE_HOSTS: ReadonlyMap<string, RegExp | null> = new Map([
  ['unpkg.com', null],
  ['esm.run', null],
  ['esm.sh', /^\/(?:(?:v\d+|stable|gh|jsr|pr)\/)*\*?/],
  ['cdn.esm.sh', /^\/(?:(?:v\d+|stable)\/)*\*?/],
  ['cdn.skypack.dev', /^\/(?:(?:-|pin|new)\/)?/],
  ['ga.jspm.io', /^\/npm:/],
  ['jspm.dev', /^\/(?:npm:)?/],
])
const VERSION = /^v?(\d+(?:\.\d+)*)/

/** Whether the addresses of a host, or those below an installation, name packages and nothing else. */
export function isPackageHost({ host, path }: PageUrl): boolean {
  return PACKAGE_HOSTS.has(host) || /(?:^|\.)jsdelivr\.net$/.test(host) || path.includes(INSTALLED)
}

/**
 * Reads the npm packages that an address names.
 *
 * Sources: https://www.jsdelivr.com/documentation, https://unpkg.com, https://esm.sh, https://docs.skypack.dev,
 * https://jspm.org/docs, https://cdnjs.com/api
 */
export function readPackages({ host, path }: PageUrl): readonly PackageName[] {
  const found: PackageName[] = []
  const add = (name: string, version: string | undefined): void => {
    found.push({ name: name.replace(/^%40/, '@'), version: readVersion(version) })
  }
  if (path.includes('npm/')) for (const [, name, version] of path.matchAll(NPM_FOLDER)) add(name, version)
  if (path.includes('gh/') && host.endsWith('jsdelivr.net'))
    for (const [, repository, version] of path.matchAll(GITHUB_FOLDER)) {
      const name = GITHUB_PACKAGES.get(repository.toLowerCase())
      if (name !== undefined) add(name, version)
    }
  const library = path.includes('/ajax/libs/') ? CDNJS_FOLDER.exec(path) : null
  if (library) add(CDNJS_NAMES.get(library[1]) ?? CDNJS_NAMES.get(library[1].toLowerCase()) ?? library[1], library[2])
  // The last folder of this kind, because packages are nested: `/node_modules/.pnpm/a@1/node_modules/a/`.
  const folder = path.lastIndexOf(INSTALLED)
  const installed = folder < 0 ? null : FIRST_SEGMENT.exec(path.slice(folder + INSTALLED.length - 1))
  if (installed) add(installed[1], installed[2])
  const before = PACKAGE_HOSTS.get(host)
  const first = before === undefined ? null : FIRST_SEGMENT.exec(before === null ? path : path.replace(before, '/'))
  if (first) add(first[1], first[2])
  return found
}

function readVersion(written: string | undefined): string | undefined {
  return written === undefined ? undefined : VERSION.exec(written)?.[1]
}
