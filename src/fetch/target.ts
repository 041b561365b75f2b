import { parse as parseDomain } from 'tldts'
import { ScanError } from '../errors.ts'
import { isAllowed, parseAddress, refusalOf } from './address.ts'
import type { Policy } from './policy.ts'

/** Characters of a URL, after trimming. */
export const MAX_LENGTH = 2048
// Control characters, white space and backslashes make parsers disagree about where the host ends.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is meant.
const UNSAFE = /[\x00-\x20\x7f-\x9f\s\\]/
const AUTHORITY = /^https?:\/\/([^/?#]+)/i
/** Of a name, as a URL shows it: IDNs in their ASCII form. */
const LABEL = /^[a-z\d_-]{1,63}$/
// Infrastructure and onion services: in the public suffix list or not, no website of theirs is on the public internet.
const NEVER = new Set(['arpa', 'onion'])

/** Where a scan goes: checked as far as the text of a URL shows it. */
export interface Target {
  /** Without fragment; host in lower case, no dot at its end. */
  readonly url: URL
  readonly port: number
  /** The host without brackets: a name, or a literal address. */
  readonly host: string
  readonly isLiteral: boolean
}

/**
 * Reads what somebody wants scanned. No I/O.
 * @throws ScanError `not_a_url`, `not_public`, `port_refused`, `denied` or `own_host`
 */
export function parseTarget(text: string, policy: Policy): Target {
  const trimmed = text.trim()
  const [, authority] = AUTHORITY.exec(trimmed) ?? []
  if (trimmed.length > MAX_LENGTH || authority === undefined || authority.includes('@') || UNSAFE.test(trimmed))
    throw new ScanError('not_a_url')
  let url: URL
  try {
    url = new URL(trimmed)
  } catch (cause) {
    throw new ScanError('not_a_url', { cause })
  }
  return checkTarget(url, policy)
}

/**
 * Checks a parsed URL: of a caller, or where a redirect leads.
 * @throws ScanError like `parseTarget`
 */
export function checkTarget(parsed: URL, policy: Policy): Target {
  const url = new URL(parsed)
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') throw new ScanError('not_a_url')
  url.hash = ''
  if (url.hostname.endsWith('.')) {
    const bare = url.hostname.slice(0, -1)
    url.hostname = bare
    // Without its first dot at the end, `8.8.8.8..` would be read once more, as an address.
    if (url.hostname !== bare) throw new ScanError('not_a_url', { cause: 'several dots at the end of the host' })
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
  const why = isLiteral ? refusalOf(host) : nameRefusal(host)
  if (why !== null) throw new ScanError('not_public', { cause: why })
  // After that: which private address the service listens on is nobody's business.
  if (own.length > 0) throw new ScanError('own_host')
  if (url.port !== '' && !policy.ports.includes(port)) throw new ScanError('port_refused')
  return { url, port, host, isLiteral }
}

function isDenied(host: string, { deny }: Policy): boolean {
  return deny.some((denied) => host === denied || host.endsWith(`.${denied}`))
}

/** A public name has two labels at least, the last in the ICANN part of the public suffix list. */
function nameRefusal(host: string): string | null {
  const labels = host.split('.')
  if (labels.length < 2) return 'one label'
  if (host.length > 253 || !labels.every((label) => LABEL.test(label))) return 'no name'
  if (NEVER.has(labels[labels.length - 1])) return 'no public suffix'
  return parseDomain(host, { allowPrivateDomains: false }).isIcann === true ? null : 'no public suffix'
}
