import { readAttribute, readText } from '../../src/engine/page/element.ts'
import type { Page } from '../../src/engine/page/page-types.ts'
import { UrlResolver } from '../../src/engine/text/url.ts'
import { type PackageName, readPackages } from './package-address.ts'

/** Maximum number of characters of one import map, and of its entries, that are read. */
const MAX_CHARACTERS = 262_144
const MAX_ENTRIES = 500
/** A name that a module is imported by: no path and no address. A slash at the end stands for all files of the package. */
const BARE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*\/?$/

interface ImportedPackage extends PackageName {
  readonly address: string
}

/**
 * Reads the packages of the import maps of a page: the names that modules are imported by, and the packages that their addresses
 * name (https://html.spec.whatwg.org/multipage/webappapis.html#import-maps).
 */
export function* readImportMaps(page: Page): Iterable<ImportedPackage> {
  const { tape } = page
  for (let at = 0; at < tape.tags.length; at++) {
    if (tape.tags[at] !== 'script' || readAttribute(tape, at, 'type')?.trim().toLowerCase() !== 'importmap') continue
    const text = readText(tape, at)
    if (text.length <= MAX_CHARACTERS) yield* readEntries(text, new UrlResolver(page.base))
  }
}

function* readEntries(text: string, resolver: UrlResolver): Iterable<ImportedPackage> {
  for (const [key, value] of listEntries(text)) {
    if (typeof value !== 'string') continue
    const address = `${key} → ${value}`
    const url = resolver.resolve(value)
    const packages = url === null ? [] : readPackages(url)
    for (const one of packages) yield { ...one, address }
    const name = key.replace(/\/$/, '')
    if (BARE.test(key) && !packages.some((one) => one.name === name)) yield { name, address }
  }
}

function listEntries(text: string): readonly (readonly [string, unknown])[] {
  let map: unknown
  try {
    map = JSON.parse(text)
  } catch {
    return []
  }
  if (typeof map !== 'object' || map === null || !('imports' in map)) return []
  const { imports } = map
  return typeof imports === 'object' && imports !== null ? Object.entries(imports).slice(0, MAX_ENTRIES) : []
}
