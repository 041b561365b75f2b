import type { Config } from '../../config/config.ts'
import { ScanError } from '../../errors.ts'
import { isAllowed, parseAddress, parseAllowed } from '../../fetch/address.ts'
import type { ListedSite } from './site-list.ts'

/** The addresses that are opened although they are not public. */
interface Allowed {
  readonly config: Pick<Config, 'scanAllow'>
  /** Entries of `--allow`. */
  readonly allow: readonly string[]
}

const LOOPBACK = ['127.0.0.1', '::1'] as const

/**
 * Advises how to scan a site of the user's own machine or network. `--allow` opens addresses and never names, so a name needs other
 * advice than an address.
 * @returns null for failures that have another reason
 */
export function adviseAllow(
  error: unknown,
  { urls: [text] }: Pick<ListedSite, 'urls'>,
  allowed: Allowed,
): string | null {
  if (!(error instanceof ScanError) || !URL.canParse(text.trim())) return null
  const url = new URL(text.trim())
  const host = url.hostname.replace(/^\[|\]$|\.$/g, '')
  if (error.reason === 'address_refused') return describeRefused(url, String(error.cause))
  if (error.reason !== 'not_public') return null
  if (parseAddress(host) !== null)
    return `To scan a site on your own machine or network, allow its address: --allow ${formatAddress(url, url.hostname)}`
  if (/(?:^|\.)localhost$/.test(host)) return describeLocalhost(url, host, allowed)
  return `--allow opens addresses, not names: to scan a site on your own network, write the address of ${host} in the URL, and allow it with --allow.`
}

/** Explains a public name whose address is not public. @param cause why the connection was refused, for the log */
function describeRefused(url: URL, cause: string): string | null {
  const [, address] = / has the address (\S+): /.exec(cause) ?? []
  if (address === undefined) return null
  const written = writeAddress(url, address)
  return `${cause}. --allow opens addresses, not names: to scan the site, use ${written} --allow ${formatAddress(url, address)}`
}

function describeLocalhost(url: URL, host: string, { config, allow }: Allowed): string {
  const entries = [...config.scanAllow, ...allow.flatMap((entry) => parseAllowed(entry) ?? [])]
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const address = LOOPBACK.find((one) => isAllowed(entries, one, port))
  if (address !== undefined)
    return `${address} is allowed as an address, and ${host} is a name: use ${writeAddress(url, address)}`
  return `To scan a site on your own machine, use its address: ${writeAddress(url, LOOPBACK[0])} --allow ${formatAddress(url, LOOPBACK[0])}`
}

/** Writes an entry of `--allow` for the port of a URL. */
function formatAddress({ port }: URL, address: string): string {
  return `${bracket(address)}${port === '' ? '' : `:${port}`}`
}

/** Writes a URL with an address as its host. */
function writeAddress(url: URL, address: string): string {
  const changed = new URL(url)
  changed.hostname = bracket(address)
  return changed.href
}

function bracket(address: string): string {
  return parseAddress(address)?.kind() === 'ipv6' && !address.startsWith('[') ? `[${address}]` : address
}
