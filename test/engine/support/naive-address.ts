import { getDomain } from 'tldts'
import type { Page } from '../../../src/engine/page/page-types.ts'
import { type Address, fold } from './naive-words.ts'

type Site = Address & { readonly own: boolean | null }

const NOWHERE = 'page.invalid'

/** Reads a URL, absolute or relative to the page. */
export function readUrl(text: string, { base }: Page): Site | null {
  const url = text === '' || text.startsWith('#') ? null : parse(text, base.href)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  const hasHost = /^([a-z]+:|[/\\]{2})/i.test(text.replace(/[\t\n\r]/g, ''))
  const host = !hasHost && url.hostname === NOWHERE ? '' : url.hostname
  return { host, path: url.pathname, own: hasHost ? isOwn(url.hostname, base.pageHost) : true }
}

// `URL.canParse` of Node 20 is wrong for Latin-1 letters.
function parse(text: string, base: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

function isOwn(host: string, pageHost: string | null): boolean | null {
  const site = (name: string): string => getDomain(name, { allowPrivateDomains: true }) ?? name
  return pageHost === null ? null : site(host) === site(pageHost)
}

/** Outside of attributes, a value can be a host name with or without a path. Paths are not decoded. */
export function readUrlOrHost(written: string, page: Page): Site | null {
  const text = written.trim()
  if (text.startsWith('/') || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return readUrl(text, page)
  const [address] = text.split(/[?#]/)
  const slash = address.includes('/') ? address.indexOf('/') : address.length
  const host = address.slice(0, slash).replace(/:\d+$/, '').replace(/\.$/, '')
  if (/^\.*$|[\s:@]/.test(host)) return null
  if (/[^a-z0-9.*_-]/i.test(host)) return readUrl(`//${text}`, page)
  return { host: fold(host), path: address.slice(slash) || '/', own: isOwn(fold(host), page.base.pageHost) }
}

/** Whether a file is on the page's own host, with or without `www.`; for `code`, scripts and style sheets on sibling hosts too. */
export function isOwnFile(url: Address | undefined, { base }: Page, own: 'host' | 'code' | 'site'): boolean {
  const bare = (host: string): string => host.replace(/^www\./, '')
  const hosts = [base.pageHost ?? '', new URL(base.href).hostname, ''].map(bare)
  if (url === undefined || hosts.includes(bare(url.host))) return true
  return (
    own === 'site' ||
    (own === 'code' && ['.css', '.js', '.mjs'].some((ending) => url.path.toLowerCase().endsWith(ending)))
  )
}
