import { parse as parseDomain } from 'tldts'
import { ScanError } from '../errors.ts'
import { findBlockedReason, isAllowed, parseAddress } from './address.ts'
import type { Policy } from './policy.ts'

/** Maximum number of characters of a URL, after trimming. */
export const MAX_URL_LENGTH = 2048
// URL parsers disagree about where the host ends if there are control characters, white space or backslashes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match control characters.
const UNSAFE = /[\x00-\x20\x7f-\x9f\s\\]/
const AUTHORITY = /^https?:\/\/([^/?#]+)/i
/** A label of a host name as URLs contain it, with IDNs in their ASCII form. */
const LABEL = /^[a-z\d_-]{1,63}$/
// Infrastructure and onion services do not have websites on the public internet, even if the Public Suffix List has them.
const NON_WEB_SUFFIXES = new Set(['arpa', 'onion'])

/** The destination of a request, checked as far as that is possible from the text of its URL. */
export interface Target {
  /** The URL without a fragment. The host is in lower case, without a trailing dot. */
  readonly url: URL
  readonly port: number
  /** The host without brackets: a name, or a literal address. */
  readonly host: string
  readonly isLiteral: boolean
}

/**
 * Parses and checks a submitted URL. No I/O.
 * @throws ScanError `not_a_url`, `not_public`, `port_refused`, `denied` or `own_host`
 */
export function parseTarget(text: string, policy: Policy): Target {
  const trimmed = text.trim()
  const [, authority] = AUTHORITY.exec(trimmed) ?? []
  const suggestion = authority === undefined ? suggestUrl(trimmed, policy) : null
  if (suggestion !== null)
    throw new ScanError('not_a_url', { sentence: `url has no scheme: use ${suggestion} instead.` })
  if (trimmed.length > MAX_URL_LENGTH || authority === undefined || authority.includes('@') || UNSAFE.test(trimmed))
    throw new ScanError('not_a_url')
  return checkTarget(parseUrl(trimmed), policy)
}

/** A host with a dot, optionally with a port and a path, after what may be left of a scheme. */
const SCHEMELESS = /^(?:https?:)?\/{0,2}([^\s/?#@:\\]+\.[^\s/?#@:\\.]+\.?(:\d+)?(?:[/?#]\S*)?)$/i

/** Longer URLs are not quoted in the message. */
const MAX_SUGGESTED_CHARACTERS = 200

/** Adds the scheme to a URL without one. @returns null if that does not make it a URL that may be scanned */
function suggestUrl(text: string, policy: Policy): string | null {
  const [, rest, port] = SCHEMELESS.exec(text) ?? []
  if (rest === undefined || rest.length > MAX_SUGGESTED_CHARACTERS) return null
  const url = `${port === ':80' ? 'http' : 'https'}://${rest}`
  try {
    parseTarget(url, policy)
    return url
  } catch {
    return null
  }
}

/** @throws ScanError `not_a_url` */
export function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch (cause) {
    throw new ScanError('not_a_url', { cause })
  }
}

/**
 * Checks a parsed URL, which a client has submitted or a redirect contains.
 * @throws ScanError with the same reasons as `parseTarget`
 */
export function checkTarget(parsed: URL, policy: Policy): Target {
  const url = new URL(parsed)
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') throw new ScanError('not_a_url')
  url.hash = ''
  if (url.hostname.endsWith('.')) {
    const bare = url.hostname.slice(0, -1)
    url.hostname = bare
    // The setter parses again: `8.8.8.8..` without its last dot would become an address.
    if (url.hostname !== bare) throw new ScanError('not_a_url', { cause: 'the host ends with more than one dot' })
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const isLiteral = parseAddress(host) !== null
  if (isDenied(host, policy)) throw new ScanError('denied')
  const own = policy.own.filter((address) => address.host === host)
  if (isLiteral && isAllowed(policy.allow, host, port)) {
    if (own.some((address) => address.port === port)) throw new ScanError('own_host')
    return { url, port, host, isLiteral }
  }
  const reason = isLiteral ? findBlockedReason(host) : findNameBlockedReason(host)
  if (reason !== null) throw new ScanError('not_public', { cause: reason })
  // Checked last, so that the error does not reveal on which private address the service listens.
  if (own.length > 0) throw new ScanError('own_host')
  if (url.port !== '' && !policy.ports.includes(port)) throw new ScanError('port_refused')
  return { url, port, host, isLiteral }
}

function isDenied(host: string, { deny }: Policy): boolean {
  return deny.some((denied) => host === denied || host.endsWith(`.${denied}`))
}

/** A public name has at least two labels, and its suffix is in the ICANN part of the Public Suffix List. */
function findNameBlockedReason(host: string): string | null {
  const labels = host.split('.')
  if (labels.length < 2) return 'a single label'
  if (host.length > 253 || !labels.every((label) => LABEL.test(label))) return 'not a host name'
  if (NON_WEB_SUFFIXES.has(labels[labels.length - 1])) return 'not a public suffix'
  return parseDomain(host, { allowPrivateDomains: false }).isIcann === true ? null : 'not a public suffix'
}
