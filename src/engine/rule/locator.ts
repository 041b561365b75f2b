import { parse as parseHost } from 'tldts'
import { parseUrl } from '../text/parse-url.ts'
import { lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'
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
  checkCharacters(text)
  if (text === '/') return readLocator(text)
  const { hostText, path } = splitLocator(text)
  if (path.slice(0, -1).includes('*')) throw new RuleSyntaxError(`"${text}": a * is allowed only at the end`)
  checkHost(hostText, text)
  checkPath(path, text)
  return readLocator(text)
}

/**
 * Reads a locator of a compiled rule, which `parseLocator` has checked: most of the time would be spent on the check of
 * its host.
 */
export function readLocator(text: string): Locator {
  if (text === '/') return { hosts: 'any', host: '', segments: [], open: false, root: true }
  const { hostText, path } = splitLocator(text)
  const open = path.endsWith('*')
  const segments = path === '' ? [] : path.slice(1, open || path.endsWith('/') ? -1 : undefined).split('/')
  if (hostText === '') return { hosts: 'any', host: '', segments, open, root: false }
  const hosts = findHosts(hostText)
  const host = cutHost(hostText, hosts)
  return { hosts, host: hosts === 'start' ? lower(host) : toPunycode(host), segments, open, root: false }
}

function splitLocator(text: string): { readonly hostText: string; readonly path: string } {
  const slash = text.indexOf('/')
  return slash < 0 ? { hostText: text, path: '' } : { hostText: text.slice(0, slash), path: text.slice(slash) }
}

function findHosts(hostText: string): 'exact' | 'below' | 'start' {
  return hostText.startsWith('.') ? 'below' : hostText.endsWith('.*') ? 'start' : 'exact'
}

function cutHost(hostText: string, hosts: 'exact' | 'below' | 'start'): string {
  return hosts === 'below' ? hostText.slice(1) : hosts === 'start' ? hostText.slice(0, -2) : hostText
}

function checkCharacters(text: string): void {
  if (/^[^/]*:/.test(text) || text.startsWith('//'))
    throw new RuleSyntaxError(`"${text}" has a scheme or a port; write only host and path`)
  if (/[\s?#\\]|^[^/]*@/.test(text))
    throw new RuleSyntaxError(
      `"${text}" contains a character that locators cannot have (space ? # \\, or @ in the host)`,
    )
}

function checkHost(hostText: string, text: string): void {
  if (hostText === '') return
  if (/^\*\.[^.*]/.test(hostText))
    throw new RuleSyntaxError(`"${text}": write .${text.slice(2)} for the subdomains of a host`)
  const hosts = findHosts(hostText)
  const host = cutHost(hostText, hosts)
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
}

function toPunycode(host: string): string {
  if (/^[\w.-]+$/.test(host)) return lower(host)
  return parseUrl(`http://${host.replaceAll('_', 'x_')}/`)?.hostname.replaceAll('x_', '_') ?? lower(host)
}

function checkPath(path: string, text: string): void {
  if (/^\/+$/.test(path)) throw new RuleSyntaxError(`"${text}" has an empty path; remove the slash or add a path`)
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
