import { isIP } from 'node:net'
import { normalizeHost, parseAddress } from '../fetch/address.ts'
import { createNumberParser } from './reader.ts'

// Each parser returns null for an invalid value.

/** An address, or a name that may be resolvable. A port after it would be looked up as part of the name. */
export function parseListenHost(text: string): string | null {
  return isIP(text) !== 0 || /^\w(?:[\w.-]*[\w.])?$/.test(text) ? text : null
}

/** Whether only this machine can reach a listener on this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Whether a listener on this host accepts connections to every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** A public URL, without its trailing slash. An address that stands for all addresses cannot be opened. */
export function parsePublicUrl(text: string): string | null {
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || isWildcard(url.hostname.replace(/^\[|\]$/g, ''))) return null
  return url.href.replace(/\/$/, '')
}

/** The DevTools address of a browser on this machine: of its HTTP server, or of its WebSocket. */
export function parseBrowserUrl(text: string): string | null {
  if (!/^(?:http|ws):\/\/[^\s\\?#]+$/.test(text) || !URL.canParse(text)) return null
  const { hostname, username, password } = new URL(text)
  return username === '' && password === '' && isLoopback(hostname.replace(/^\[|\]$/g, '')) ? text : null
}

export function parseContactUrl(text: string): string | null {
  return /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/.test(text) ? text : null
}

export function parseSecret(text: string): string | null {
  return /^.{32,}$/su.test(text) ? text : null
}

/** A connection string may contain several hosts, which `URL` cannot parse. The driver checks the rest. */
export function parseMongodbUrl(text: string): string | null {
  const [, authority = '', database = ''] =
    /^mongodb(?:\+srv)?:\/\/([^\s/?#]+)(?:\/([^\s/?\\."$*<>:|]{0,63}))?(?:\?\S*)?$/.exec(text) ?? []
  if (!canDecode(database)) return null
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',')
  const isHost = (host: string): boolean => {
    const found = /^(?:\[[\da-f:.]+\]|[^:@[\]]+)(?::(?<port>\d+))?$/i.exec(host)
    return found !== null && createNumberParser(1, 65_535)(found.groups?.port ?? '27017') !== null
  }
  return hosts.every(isHost) ? text : null
}

/** Accepts what the driver accepts: it throws a bare stack for a bad database number or a password that cannot be decoded. */
export function parseRedisUrl(text: string): string | null {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return null
  const { hostname, pathname, username, password } = new URL(text)
  return hostname !== '' && /^(?:\/\d*)?$/.test(pathname) && canDecode(username) && canDecode(password) ? text : null
}

export function parseSmtpUrl(text: string): string | null {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return null
  const { hostname, pathname, hash, username, password } = new URL(text)
  return hostname !== '' && /^\/?$/.test(pathname) && hash === '' && canDecode(username) && canDecode(password)
    ? text
    : null
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}

/** A host of `SCAN_DENY`. It may begin with `*.` or `.`. */
export function parseDeniedHost(text: string): string | null {
  return normalizeHost(text.replace(/^\*?\./, ''))
}

/** An address or a block of addresses. A block of 0 bits is rejected, because every client would be trusted. */
export function parseAddressBlock(text: string): string | null {
  const [, literal = '', bits] = /^([\d.]+|[\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const address = parseAddress(literal)
  if (address === null) return null
  const maxBits = address.kind() === 'ipv4' ? 32 : 128
  return bits === undefined || createNumberParser(1, maxBits)(bits) !== null ? text : null
}

/** An origin as browsers send it. */
export function parseOrigin(text: string): string | null {
  return /^https?:\/\/[^/?#@\\]+\/?$/i.test(text) && URL.canParse(text) ? new URL(text).origin : null
}
