import { getDomain } from 'tldts'
import { toList } from '../engine/rule/clause.ts'
import type { ClauseSource, RuleSource } from '../engine/rule/types.ts'

/** Names of hosts on which a vendor publishes pages about its product, which are not made with it, and where its services run. */
export const VENDOR_NAMES = [
  'www',
  'help',
  'support',
  'docs',
  'status',
  'blog',
  'shop',
  'store',
  'community',
  'developer',
  'developers',
  'news',
  'api',
  'app',
  'login',
  'accounts',
  'secure',
] as const

const GROUPS = ['all', 'any', 'of'] as const
/** Keys of a clause that belong to the whole, even when it becomes a group. */
const CLAUSE_KEYS = ['weight', 'points', 'fitted'] as const

/**
 * Adds to each clause on the address of a page that it is not one of the vendor's own hosts. Customers of many products get a host
 * below the domain of the vendor's website, and the rule says so with one word: `url: .acme.com`. It means all hosts below
 * acme.com except `www.acme.com`, `help.acme.com` and the others of `VENDOR_NAMES`. Builders and hosting providers only.
 */
export function excludeVendorHosts({
  kind,
  website,
  detect,
}: Pick<RuleSource, 'kind' | 'website' | 'detect'>): readonly ClauseSource[] {
  const domains =
    kind === 'builder' || kind === 'hosting' ? toList<string>(website).flatMap((one) => getDomain(one) ?? []) : []
  return domains.length === 0 ? detect : detect.map((clause) => excludeFrom(clause, domains))
}

/** Leaves a clause as it is unless it has a locator of hosts below one of the domains. */
function excludeFrom(clause: ClauseSource, domains: readonly string[]): ClauseSource {
  const group = GROUPS.find((key) => key in clause)
  if (group !== undefined)
    return { ...clause, [group]: toList<ClauseSource>(clause[group]).map((one) => excludeFrom(one, domains)) }
  const address = readAddress(clause)
  if (address === null) return clause
  const found = domains.filter((domain) => address.locators.some((locator) => isBelow(locator, domain)))
  if (found.length === 0) return clause
  const hosts = found.flatMap((domain) => VENDOR_NAMES.map((name) => `${name}.${domain}`))
  const own = Object.fromEntries(CLAUSE_KEYS.flatMap((key) => (key in clause ? [[key, clause[key]]] : [])))
  const leaf = Object.fromEntries(Object.entries(clause).filter(([key]) => !(key in own)))
  return { ...own, all: [leaf, { not: address.write(hosts) }] }
}

/** The locators of a clause on the address of the page, and how the same place is written with others; null for other clauses. */
function readAddress(
  clause: ClauseSource,
): { readonly locators: readonly string[]; readonly write: (hosts: string[]) => ClauseSource } | null {
  if ('url' in clause) return { locators: toList<string>(clause.url), write: (url) => ({ url }) }
  if (!('under' in clause)) return null
  const locators = toList<string>(clause.under)
  if (toList<string>(clause.link).includes('canonical'))
    return { locators, write: (under) => ({ link: 'canonical', under }) }
  if (clause.meta === 'og:url') return { locators, write: (under) => ({ meta: 'og:url', under }) }
  return null
}

function isBelow(locator: string, domain: string): boolean {
  return locator === `.${domain}` || locator.startsWith(`.${domain}/`)
}
