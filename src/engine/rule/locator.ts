import { parse as parseHost } from 'tldts'
import { lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'
import { parseUrl } from '../text/url.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'

/** A locator, read: which hosts, and which segments of the path. */
export interface Locator {
  /** `exact` x.y · `below` .x.y · `start` docs.* · `any` no host written. */
  readonly hosts: 'exact' | 'below' | 'start' | 'any'
  readonly host: string
  /** Whole segments; the last one is only a beginning when `open`. */
  readonly segments: readonly string[]
  readonly open: boolean
  /** `/` alone: the root path and nothing else. */
  readonly root: boolean
}

/**
 * Reads `x.y`, `.x.y`, `docs.*`, each with a path or not, `/p/q`, `/`, with `*` at the very end for "however it goes on".
 * @throws RuleSyntaxError
 */
export function parseLocator(text: string): Locator {
  if (/^[^/]*:/.test(text) || text.startsWith('//'))
    throw new RuleSyntaxError(`"${text}" has a scheme or a port: write host and path alone`)
  if (/[\s?#\\]|^[^/]*@/.test(text))
    throw new RuleSyntaxError(`"${text}" has a character that no locator has (space ? # \\, or @ in the host)`)
  if (text === '/') return { hosts: 'any', host: '', segments: [], open: false, root: true }
  const slash = text.indexOf('/')
  const hostText = slash < 0 ? text : text.slice(0, slash)
  const path = slash < 0 ? '' : text.slice(slash)
  if (path.slice(0, -1).includes('*')) throw new RuleSyntaxError(`"${text}": a * stands at the very end alone`)
  return { ...readHost(hostText, text), ...readPath(path, text) }
}

function readHost(hostText: string, text: string): Pick<Locator, 'hosts' | 'host'> {
  if (hostText === '') return { hosts: 'any', host: '' }
  const hosts = hostText.startsWith('.') ? 'below' : hostText.endsWith('.*') ? 'start' : 'exact'
  const host = hosts === 'below' ? hostText.slice(1) : hosts === 'start' ? hostText.slice(0, -2) : hostText
  if (!/^[^.*]+(?:\.[^.*]+)*$/.test(host))
    throw new RuleSyntaxError(`"${text}": a host is written x.y, .x.y (hosts below it) or docs.* (hosts that begin so)`)
  if (hosts !== 'start') {
    const { isIcann, isPrivate, isIp } = parseHost(host, { allowPrivateDomains: true })
    if (!isIcann && !isPrivate && !isIp)
      throw new RuleSyntaxError(`"${text}": the host "${host}" ends in no public suffix; a file is written "/${text}"`)
  }
  return { hosts, host: hosts === 'start' ? lower(host) : punycode(host) }
}

function punycode(host: string): string {
  const url = `http://${host.replaceAll('_', 'x_')}/`
  return /^[\w.-]+$/.test(host) ? lower(host) : (parseUrl(url)?.hostname.replaceAll('x_', '_') ?? lower(host))
}

function readPath(path: string, text: string): Pick<Locator, 'segments' | 'open' | 'root'> {
  const open = path.endsWith('*')
  const segments = path === '' ? [] : path.slice(1, open || path.endsWith('/') ? -1 : undefined).split('/')
  if (path === '/' || (path.startsWith('/') && !open && segments.every((segment) => segment === '')))
    throw new RuleSyntaxError(`"${text}" has an empty path: leave the slash away, or write what follows it`)
  return { segments, open, root: false }
}

/** Segments of a URL's path: `/a/b.js` is a, b.js. */
function splitPath(path: string): string[] {
  return path.split('/').slice(1)
}

/** Whether a URL is under a locator; ASCII case is ignored unless `exact`. */
export function matchLocator(locator: Locator, url: PageUrl, exact = false): boolean {
  const { hosts, host } = locator
  if (hosts === 'exact' && url.host !== host) return false
  if (hosts === 'below' && !url.host.endsWith(`.${host}`)) return false
  if (hosts === 'start' && !url.host.startsWith(`${host}.`)) return false
  if (locator.root) return url.path === '/'
  const fold = exact ? (text: string) => text : lower
  const wanted = locator.segments.map(fold)
  const path = splitPath(fold(url.path))
  const starts = hosts === 'any' ? path.length : 1
  for (let from = 0; from < starts; from++) {
    const fits = wanted.every((segment, i) => {
      const last = locator.open && i === wanted.length - 1
      return last ? path[from + i]?.startsWith(segment) : path[from + i] === segment
    })
    if (fits) return true
  }
  return false
}
