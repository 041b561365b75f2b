import { setMaxListeners } from 'node:events'
import { getDomain, parse as parseDomain } from 'tldts'
import { parseAddress, refusalOf } from './address.ts'
import type { Resolver } from './resolver.ts'

interface DnsOptions {
  /** Types, or types and labels (`txt _vercel`), as rules ask for them. */
  readonly wanted: readonly string[]
  readonly resolver: Resolver
  readonly signal: AbortSignal
}

/** Records of a name; null when the signal aborted first. */
type Ask = (type: string, name: string) => Promise<readonly string[] | null>

/** Names of a chain of aliases that are asked. */
const MAX_ALIASES = 8

/**
 * Looks up the records that rules want of a host, and the name servers of its domain, all at the same time. Never fails:
 * when the signal aborts, what has come so far is the result.
 * @param host a name; a literal address has no records
 * @returns by type, or type and label, in lower case. [] means that there are none, absent that it was not asked or answered.
 */
export async function lookUpDns(
  host: string,
  options: DnsOptions,
): Promise<Readonly<Record<string, readonly string[]>>> {
  if (parseAddress(host) !== null) return {}
  const { wanted, resolver, signal } = options
  setMaxListeners(0, signal) // Each question listens to it.
  const ask: Ask = (type, name) => resolver.records(type, name, signal).catch(() => null)
  const keys = new Set(['ns', ...wanted.map((word) => word.toLowerCase())])
  const entries = await Promise.all(
    Array.from(keys, async (key) => {
      const [type, label] = key.split(/\s+/)
      const records = await Promise.all(namesOf(type, label, host).map((name) => recordsOf(type, name, ask)))
      return [key, mergeRecords(records)] as const
    }),
  )
  return Object.fromEntries(entries.filter((entry): entry is [string, string[]] => entry[1] !== null))
}

/** Whom a type is asked of; nobody where the type is unknown. */
function namesOf(type: string, label: string | undefined, host: string): string[] {
  const names = hostsOf(type, host)
  return [...new Set(label === undefined ? names : names.map((name) => `${label}.${name}`))]
}

function hostsOf(type: string, host: string): string[] {
  switch (type) {
    case 'a':
    case 'aaaa':
    case 'cname':
      return [host]
    case 'ns':
    case 'soa':
    case 'mx': // A customer's name below a private suffix (a.github.io) has no zone of its own.
      return [getDomain(host, { allowPrivateDomains: false }) ?? host]
    case 'txt': // What the owner of such a suffix proves there says nothing of the customer.
      return [host, getDomain(host, { allowPrivateDomains: true }) ?? host]
    default:
      return []
  }
}

function recordsOf(type: string, name: string, ask: Ask): Promise<readonly string[] | null> {
  if (type === 'cname') return aliasesOf(name, ask)
  if (type === 'a' || type === 'aaaa') return addressesOf(type, name, ask)
  return ask(type, name)
}

/** An alias into a network of ours must not show its addresses. */
async function addressesOf(type: string, name: string, ask: Ask): Promise<readonly string[] | null> {
  const addresses = await ask(type, name)
  return addresses?.filter((address) => refusalOf(address) === null) ?? null
}

/** Every name that a name is an alias of, one after the other; a name that is not public is told, not asked. */
async function aliasesOf(first: string, ask: Ask): Promise<readonly string[] | null> {
  const chain = new Set<string>()
  let name = first
  for (let asked = 0; asked < MAX_ALIASES; asked++) {
    const targets = await ask('cname', name)
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

/** What was found stays even if another name was not answered; null when nothing is known. */
function mergeRecords(records: readonly (readonly string[] | null)[]): string[] | null {
  const found = [...new Set(records.flatMap((texts) => texts ?? []))]
  return found.length === 0 && (records.length === 0 || records.includes(null)) ? null : found
}
