import { setMaxListeners } from 'node:events'
import { domainToASCII } from 'node:url'
import { getDomain, parse as parseDomain } from 'tldts'
import { findBlockedReason, isSameAddress, parseAddress } from './address.ts'
import type { Resolver } from './resolver.ts'

interface DnsOptions {
  /** Record types, or types and labels (`txt _vercel`), that rules read. */
  readonly wanted: readonly string[]
  readonly resolver: Resolver
  readonly signal: AbortSignal
}

/** Queries the records of a name. Returns null when the signal aborted first. */
type DnsQuery = (type: string, name: string) => Promise<readonly string[] | null>

/** Maximum number of names of a CNAME chain that are queried. */
const MAX_ALIASES = 8

/**
 * Looks up the records of a host that rules read, and the name servers of its domain, concurrently. Never fails: after an
 * abort, the result contains the records received so far.
 * @param host a name; a literal address has no records
 * @returns records by type, or by type and label, in lower case. [] means that there are none; a missing key means that
 *   the lookup was not made or got no response.
 */
export async function lookUpDns(
  host: string,
  options: DnsOptions,
): Promise<Readonly<Record<string, readonly string[]>>> {
  if (parseAddress(host) !== null) return {}
  const { wanted, resolver, signal } = options
  setMaxListeners(0, signal) // Each query adds a listener.
  const query: DnsQuery = (type, name) => resolver.records(type, name, signal).catch(() => null)
  const keys = new Set(['ns', ...wanted.map((key) => key.toLowerCase())])
  const entries = await Promise.all(
    Array.from(keys, async (key) => {
      const [type, label] = key.split(/\s+/)
      const records = await Promise.all(listNames(type, label, host).map((name) => findRecords(type, name, query)))
      return [key, mergeRecords(records)] as const
    }),
  )
  return Object.fromEntries(entries.filter((entry): entry is [string, string[]] => entry[1] !== null))
}

/** Names of one address that are checked. */
const MAX_REVERSE_NAMES = 4
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62}\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/**
 * Looks up the name of an address. The holder of the address can write any name, so one counts only if it is public and resolves to the
 * address again. Never fails.
 * @returns at most one name
 */
export async function lookUpName(
  address: string,
  { resolver, signal }: Pick<DnsOptions, 'resolver' | 'signal'>,
): Promise<readonly string[]> {
  const type = parseAddress(address)?.kind() === 'ipv6' ? 'aaaa' : 'a'
  const query = (kind: string, name: string) => resolver.records(kind, name, signal).catch(() => [])
  const names = (await query('ptr', address)).slice(0, MAX_REVERSE_NAMES)
  for (const name of names.filter(isHostName)) {
    const addresses = await query(type, name)
    if (addresses.some((one) => isSameAddress(one, address))) return [name]
  }
  return []
}

/** Whether a text is a public name. Broken Punycode is none: its query would ask for the root. */
function isHostName(text: string): boolean {
  return HOST_NAME.test(text) && domainToASCII(text) === text && isPublicName(text)
}

/** Lists the names to query for a type. An unknown type has none. */
function listNames(type: string, label: string | undefined, host: string): string[] {
  const names = listHosts(type, host)
  return [...new Set(label === undefined ? names : names.map((name) => `${label}.${name}`))]
}

function listHosts(type: string, host: string): string[] {
  switch (type) {
    case 'a':
    case 'aaaa':
    case 'cname':
      return [host]
    case 'ns':
    case 'soa':
    case 'mx': // A customer's name below a private suffix (a.github.io) does not have its own zone.
      return [getDomain(host, { allowPrivateDomains: false }) ?? host]
    case 'txt': // A TXT record of the suffix owner says nothing about the customer.
      return [host, getDomain(host, { allowPrivateDomains: true }) ?? host]
    default:
      return []
  }
}

function findRecords(type: string, name: string, query: DnsQuery): Promise<readonly string[] | null> {
  if (type === 'cname') return followAliases(name, query)
  if (type === 'a' || type === 'aaaa') return findPublicAddresses(type, name, query)
  return query(type, name)
}

/** Omits private addresses: an alias that points into an internal network must not reveal them. */
async function findPublicAddresses(type: string, name: string, query: DnsQuery): Promise<readonly string[] | null> {
  const addresses = await query(type, name)
  return addresses?.filter((address) => findBlockedReason(address) === null) ?? null
}

/** Follows a CNAME chain and returns its names. A name that is not public is included, but not queried. */
async function followAliases(first: string, query: DnsQuery): Promise<readonly string[] | null> {
  const chain = new Set<string>()
  let name = first
  for (let queries = 0; queries < MAX_ALIASES; queries++) {
    const targets = await query('cname', name)
    if (targets === null && chain.size === 0) return null
    const [next] = targets ?? []
    if (next === undefined || chain.has(next)) break
    chain.add(next)
    if (next === first || !isPublicName(next)) break
    name = next
  }
  return [...chain]
}

function isPublicName(name: string): boolean {
  return parseDomain(name, { allowPrivateDomains: false, validateHostname: false }).isIcann === true
}

/** Merges the records of several names. Returns null when none were found and a query got no response. */
function mergeRecords(records: readonly (readonly string[] | null)[]): string[] | null {
  const found = [...new Set(records.flatMap((texts) => texts ?? []))]
  return found.length === 0 && (records.length === 0 || records.includes(null)) ? null : found
}
