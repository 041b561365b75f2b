import { parse as parseHost } from 'tldts'
import { lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'
import { parseUrl } from '../text/url.ts'
import { RuleSyntaxError } from './rule-syntax-error.ts'

/** A parsed locator: hosts, and segments of the path. */
export interface Locator {
  /** `exact` for x.y, `below` for .x.y, `start` for docs.*, `any` for a locator without a host. */
  readonly hosts: 'exact' | 'below' | 'start' | 'any'
  readonly host: string
  /** Whole segments. If `open` is set, the last one is the beginning of a segment. */
  readonly segments: readonly string[]
  readonly open: boolean
  /** `/`: only the root path. */
  readonly root: boolean
}

/**
 * Parses `x.y`, `.x.y` and `docs.*`, each with or without a path, `/p/q` and `/`. A `*` at the end matches any continuation.
 * @throws RuleSyntaxError
 */
export function parseLocator(text: string): Locator {
  if (/^[^/]*:/.test(text) || text.startsWith('//'))
    throw new RuleSyntaxError(`"${text}" has a scheme or a port; write only host and path`)
  if (/[\s?#\\]|^[^/]*@/.test(text))
    throw new RuleSyntaxError(
      `"${text}" contains a character that locators cannot have (space ? # \\, or @ in the host)`,
    )
  if (text === '/') return { hosts: 'any', host: '', segments: [], open: false, root: true }
  const slash = text.indexOf('/')
  const hostText = slash < 0 ? text : text.slice(0, slash)
  const path = slash < 0 ? '' : text.slice(slash)
  if (path.slice(0, -1).includes('*')) throw new RuleSyntaxError(`"${text}": a * is allowed only at the end`)
  return { ...readHost(hostText, text), ...readPath(path, text) }
}

function readHost(hostText: string, text: string): Pick<Locator, 'hosts' | 'host'> {
  if (hostText === '') return { hosts: 'any', host: '' }
  if (/^\*\.[^.*]/.test(hostText))
    throw new RuleSyntaxError(`"${text}": write .${text.slice(2)} for the subdomains of a host`)
  const hosts = hostText.startsWith('.') ? 'below' : hostText.endsWith('.*') ? 'start' : 'exact'
  const host = hosts === 'below' ? hostText.slice(1) : hosts === 'start' ? hostText.slice(0, -2) : hostText
  if (!/^[^.*]+(?:\.[^.*]+)*$/.test(host))
    throw new RuleSyntaxError(
      `"${text}": write a host as x.y, .x.y (its subdomains) or docs.* (hosts that begin with docs)`,
    )
  if (hosts !== 'start') {
    const { isIcann, isPrivate, isIp, publicSuffix } = parseHost(host, { allowPrivateDomains: true })
    if (!isIcann && !isPrivate && !isIp)
      throw new RuleSyntaxError(`"${text}": the host "${host}" has no public suffix; write a file as "/${text}"`)
    if (isIcann && publicSuffix === host)
      throw new RuleSyntaxError(
        `"${text}": ${host} is a public suffix, below which anyone can have a host; name a domain below it`,
      )
  }
  return { hosts, host: hosts === 'start' ? lower(host) : toPunycode(host) }
}

function toPunycode(host: string): string {
  const url = `http://${host.replaceAll('_', 'x_')}/`
  return /^[\w.-]+$/.test(host) ? lower(host) : (parseUrl(url)?.hostname.replaceAll('x_', '_') ?? lower(host))
}

function readPath(path: string, text: string): Pick<Locator, 'segments' | 'open' | 'root'> {
  const open = path.endsWith('*')
  const segments = path === '' ? [] : path.slice(1, open || path.endsWith('/') ? -1 : undefined).split('/')
  if (path === '/' || (path.startsWith('/') && !open && segments.every((segment) => segment === '')))
    throw new RuleSyntaxError(`"${text}" has an empty path; remove the slash or add a path`)
  return { segments, open, root: false }
}

/** Splits a URL's path into segments: `/a/b.js` into a and b.js. */
function splitPath(path: string): string[] {
  return path.split('/').slice(1)
}

/** Whether a URL is under a locator. ASCII case is ignored unless `exact` is set. */
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
