import { getDomain } from 'tldts'
import type { Page, UrlKind, UrlUse } from '../../engine/page/page-types.ts'
import type { PageUrl } from '../../engine/text/url.ts'
import type { Explainer } from './explainer.ts'
import type { Mark } from './mark.ts'
import { isOrdinary, isOrdinaryText } from './ordinary.ts'

/** Where packages of a registry are served, and plugins of a system: the name follows. */
const JSDELIVR = '//(?:cdn|fastly)\\.jsdelivr\\.net/(?:npm|gh)/((?:@[\\w.-]+/|[\\w.-]+/(?=[\\w.-]+@))?[\\w.-]+)'
const MODULES = '//(?:unpkg\\.com|esm\\.sh)/(?:v\\d+/)?((?:@[\\w.-]+/)?[\\w.-]+)'
const LIBRARIES = '//(?:cdnjs\\.cloudflare\\.com|ajax\\.googleapis\\.com)/ajax/libs/([\\w.-]+)'
const PLUGINS = '/(?:wp-content/plugins|modules/contrib)/([\\w.-]+)/|/(?:media|components)/(com_\\w+)/'
const REGISTRY = new RegExp(`^(?:${JSDELIVR}|${MODULES}|${LIBRARIES})|${PLUGINS}`, 'i')
/** What may follow the name of a package in the name of its file: version, hash, `min`. */
const FILE_PART = /^(?:v?\d\w*|min|prod|production|umd|cjs|esm|iife|bundle|slim|pkgd|[0-9a-f]{6,})$/i
const FILE = /\/([a-z][\w.@-]{2,40})\.(?:m?js|css)$/i
const MIN_FILE_NAME = 5
/** Kinds of files that a page loads, and the places at which rules look for them. */
const LOADED: Readonly<Partial<Record<UrlKind, readonly string[]>>> = {
  script: ['script', 'asset'],
  asset: ['asset', 'link'],
  frame: ['frame'],
}

/** Reads the hosts of the files that a page loads from other sites, and the packages among its files. */
export function readResources(page: Page, explainer: Explainer): Mark[] {
  const marks = new Map<string, Mark>()
  const explainedDomains = new Set<string>()
  const unexplained: { readonly domain: string; readonly url: PageUrl }[] = []
  for (const use of listLoaded(page)) {
    const { kind, url, at } = use
    const isExplained = explainer.explains(LOADED[kind] ?? [], { name: use.rel[0] ?? '', text: url.href, url, at })
    const name = readPackage(url)
    if (name !== null) {
      const key = `package ${name}`
      if (marks.get(key)?.isExplained !== true)
        marks.set(key, { kind: 'package', key: name, shown: url.href, isExplained })
    }
    const domain = findForeign(url, page)
    if (domain === null) continue
    if (isExplained) explainedDomains.add(domain)
    else if (name === null) unexplained.push({ domain, url })
  }
  for (const domain of explainedDomains)
    marks.set(domain, { kind: 'resource', key: domain, shown: domain, isExplained: true })
  for (const { domain, url } of unexplained) {
    // What another product of the same company loads differs in the path.
    const key = explainedDomains.has(domain) ? `${url.host}/${url.path.split('/')[1] ?? ''}` : domain
    if (!marks.has(key)) marks.set(key, { kind: 'resource', key, shown: url.href, isExplained: false })
  }
  return [...marks.values()]
}

/** Lists each URL once that the page loads. */
function listLoaded({ urls }: Page): UrlUse[] {
  const seen = new Set<PageUrl>()
  return urls.filter(({ kind, url }) => {
    if (!(kind in LOADED) || seen.has(url)) return false
    seen.add(url)
    return true
  })
}

/** Reads the name of a package from where registries serve it, or else from the name of a file. */
function readPackage(url: PageUrl): string | null {
  const address = `//${url.host}${url.path}`
  const listed = REGISTRY.exec(address)
    ?.slice(1)
    .find((name) => name !== undefined)
  if (listed !== undefined) return listed.toLowerCase()
  const name = removeEnding(FILE.exec(url.path)?.[1].toLowerCase() ?? '')
  const isName = name.length >= MIN_FILE_NAME && !/\d{4,}|^chunk|^[0-9a-f]+$/.test(name)
  if (!isName || isOrdinaryText(name) || isOrdinary('script', `/${name}*`)) return null
  return name
}

/** Removes version, hash and the like from the end of the name of a file. */
function removeEnding(name: string): string {
  const parts = name.split(/(?=[.@_-])/)
  while (parts.length > 1 && FILE_PART.test(parts[parts.length - 1].slice(1))) parts.pop()
  return parts.join('')
}

/** Finds the registrable domain of a file of another site; null for a file of the page's own site. */
function findForeign({ host, own }: PageUrl, { url }: Page): string | null {
  if (host === '' || own !== false) return null
  const domain = getDomain(host, { allowPrivateDomains: true })
  if (domain === null || url === null) return domain
  // Companies have several domains with the same name: `example.co.uk` and `examplecdn.com`.
  const [label, pageLabel] = [domain, getDomain(url.host) ?? url.host].map((one) => one.split('.', 1)[0])
  const isOwn = pageLabel.length > 2 && (label.includes(pageLabel) || pageLabel.includes(label))
  return isOwn ? null : domain
}
