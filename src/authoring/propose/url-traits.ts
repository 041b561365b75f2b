import type { Page, UrlUse } from '../../engine/page/page-types.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import { findDomain, type Trait, type WordFilter } from './trait.ts'

/** Maximum number of path segments in a locator. */
const MAX_SEGMENTS = 3
/** A segment of a path that can be copied into HTML. */
const SEGMENT = /^[\w.~-]{2,60}$/
/** A segment with a version after the name of the product: `kiln-2.4.1.min.js`, `kiln@2.4`. */
const VERSIONED = /^([\w-]*[a-z][-@.]v?)\d+(?:\.\d+)+(?!\w)/i
/** A folder that is a version: `3.2.1`, `v3.2`. */
const VERSION_FOLDER = /^(v?)\d+(?:\.\d+)+$/i
/** Folders whose contents belong to a theme, a customer or a site. */
const OWNED_FOLDERS =
  /^(?:themes?|templates?|skins?|layouts?|customers?|clients?|accounts?|users?|members?|tenants?|sites?|stores?|shops?|projects?|workspaces?|uploads?|u|s|t|p)$/i
/** A short label of a host that says what it serves, such as `cdn`. */
const MAX_LABEL_LENGTH = 6

/** Finds unusual hosts and paths of the files that a page loads, and the platform that its address belongs to. */
export function findUrlTraits({ urls, url }: Page, filter: WordFilter): Trait[] {
  const files = urls.filter(({ kind }) => kind === 'script' || kind === 'asset' || kind === 'frame')
  // A script is also an asset; the narrower place says more.
  const scripts = new Set(files.flatMap(({ kind, url }) => (kind === 'script' ? [url.href] : [])))
  const rest = files.filter((use) => use.kind !== 'asset' || !scripts.has(use.url.href))
  const address = url === null ? [] : findPlatform(url.host, filter)
  return [...address, ...rest.flatMap((use) => (use.url.own === true ? findOwn(use, filter) : findOther(use, filter)))]
}

/** The domain of a platform below which the page has its address. */
function findPlatform(host: string, filter: WordFilter): Trait[] {
  const domain = findDomain(host)
  if (domain === null || domain === host || !filter.isOfVendor(domain) || !filter.isName(domain)) return []
  return [{ clause: { url: `.${domain}` }, name: domain, shown: { url: `https://harbour-books.${domain}/` } }]
}

/** A path of the site's own host that names the product. */
function findOwn({ kind, url }: UrlUse, filter: WordFilter): Trait[] {
  if (kind === 'frame') return []
  const segments = url.path.split('/').slice(1)
  const first = segments.findIndex((segment) => isSafe(segment, filter) && filter.isOfVendor(segment))
  if (first < 0 || isOfTheme(segments.slice(0, first), segments[first], filter)) return []
  const isFile = first === segments.length - 1
  const versioned = readVersioned(segments[first], filter)
  if (versioned !== null) {
    const { word, shown, test } = versioned
    const path = `/${shown}${isFile ? extensionOf(kind) : `/${fileOf(kind)}`}`
    return [{ clause: { [kind]: `/${word}`, from: 'own', ...test }, name: shown, shown: show(kind, path) }]
  }
  const locator = isFile ? `/${segments[first]}` : `/${segments[first]}/`
  const path = isFile ? locator : `${locator}${kind === 'script' ? 'main.js' : 'picture.png'}`
  return [{ clause: { [kind]: locator, from: 'own' }, name: segments[first], shown: show(kind, path) }]
}

/** Whether a segment below a folder of themes or customers names one of them: a theme that is the product has its name alone. */
function isOfTheme(folders: readonly string[], segment: string, filter: WordFilter): boolean {
  return folders.some((folder) => OWNED_FOLDERS.test(folder)) && !filter.isProduct(segment)
}

/** The host of another site, with the path below it as far as it is the same for every customer. */
function findOther({ kind, url }: UrlUse, filter: WordFilter): Trait[] {
  const domain = findDomain(url.host)
  if (domain === null || !filter.isName(domain)) return []
  const labels = url.host.slice(0, -domain.length).split('.').filter(Boolean)
  const isShared = labels.every((label) => filter.isName(label) && isGeneral(label, filter))
  if (!isShared)
    return [
      { clause: { [kind]: `.${domain}` }, name: domain, shown: show(kind, `https://site.${domain}/${fileOf(kind)}`) },
    ]
  const { locator, address, test } = readPath(url, kind, filter)
  const name = filter.isOfVendor(url.host) ? url.host : locator
  return [{ clause: { [kind]: locator, ...test }, name, shown: show(kind, `https://${address}`) }]
}

/** What is proposed for the host and path of a file. */
interface ProposedPath {
  readonly locator: string
  /** An address that the locator matches, with nothing of the site in it. */
  readonly address: string
  readonly test?: ClauseSource
}

/** Keeps the segments of a path that are the same for every customer, up to the first that has a version. */
function readPath({ host, path }: UrlUse['url'], kind: UrlUse['kind'], filter: WordFilter): ProposedPath {
  const segments: string[] = [host]
  const all = path.split('/').slice(1).filter(Boolean)
  for (const [i, segment] of all.slice(0, MAX_SEGMENTS).entries()) {
    const folder = segments.join('/')
    const isFile = i === all.length - 1
    const prefix = isFile ? undefined : VERSION_FOLDER.exec(segment)?.[1]
    if (prefix !== undefined) {
      const test = { match: `/${prefix}(\\d+(?:\\.\\d+)+)/`, version: 1 }
      return { locator: folder, address: `${folder}/${segment}/${fileOf(kind)}`, test }
    }
    const versioned = readVersioned(segment, filter)
    if (versioned !== null) {
      const end = isFile ? extensionOf(kind) : `/${fileOf(kind)}`
      const { word, shown, test } = versioned
      return { locator: `${folder}/${word}`, address: `${folder}/${shown}${end}`, test }
    }
    if (OWNED_FOLDERS.test(segment) || !isSafe(segment, filter)) break
    segments.push(segment)
  }
  const locator = segments.join('/')
  const isFile = all.length > 0 && segments.length === all.length + 1
  return { locator, address: isFile ? locator : `${locator}/${fileOf(kind)}` }
}

/** What is proposed for a segment with a version. */
interface Versioned {
  readonly word: string
  /** The segment without what follows the version, which may be about the site. */
  readonly shown: string
  readonly test: ClauseSource
}

/** Turns a segment with the version of the product into a beginning and a pattern that reads the version. */
function readVersioned(segment: string, filter: WordFilter): Versioned | null {
  const [shown = '', beginning = ''] = VERSIONED.exec(segment) ?? []
  if (!filter.isOfVendor(beginning) || !filter.isKnown(beginning)) return null
  const match = `/${beginning.replaceAll('.', '\\.')}(\\d+(?:\\.\\d+)+)`
  return { word: `${beginning}*`, shown, test: { match, version: 1 } }
}

function isGeneral(label: string, filter: WordFilter): boolean {
  return filter.isOfVendor(label) || (label.length <= MAX_LABEL_LENGTH && filter.isKnown(label))
}

function isSafe(segment: string, filter: WordFilter): boolean {
  return SEGMENT.test(segment) && filter.isKnown(segment)
}

function fileOf(kind: UrlUse['kind']): string {
  return kind === 'script' ? 'main.js' : kind === 'frame' ? 'view' : 'picture.png'
}

function extensionOf(kind: UrlUse['kind']): string {
  return kind === 'script' ? '.js' : kind === 'frame' ? '.html' : '.css'
}

function show(kind: UrlUse['kind'], address: string): Trait['shown'] {
  if (kind === 'script') return { head: `<script src="${address}"></script>` }
  if (kind === 'frame') return { body: `<iframe src="${address}"></iframe>` }
  const isStyle = address.endsWith('.css')
  return isStyle ? { head: `<link rel="stylesheet" href="${address}">` } : { body: `<img src="${address}" alt="">` }
}
