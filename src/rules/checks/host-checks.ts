import { getDomain, getDomainWithoutSuffix } from 'tldts'
import { type Places, toList } from '../../engine/rule/clause.ts'
import { parseLocator } from '../../engine/rule/locator.ts'
import { RuleSyntaxError } from '../../engine/rule/rule-syntax-error.ts'
import type { ClauseSource, RuleSource } from '../../engine/rule/types.ts'
import type { Path, SourceFile } from '../../yaml/source-file.ts'
import { buildFinding, type Finding } from '../findings.ts'

/** Places whose host is that of the site itself, or of a site that it links to, not of a server that many sites load files from. */
const SITE_PLACES = new Set(['url', 'anchor', 'dns', 'tls'])
/** Words in other places whose hosts are of that kind, too. */
const SITE_WORDS = /^(?:canonical|alternate|og:url|twitter:url)$/i
/** The place of files that a page loads. */
const ASSET = 'asset'
/** Vendors serve files from hosts such as cdn.x.com or static.x.com; a host that begins so is a site. */
const SITE_PREFIX = 'www.'
/** What the host of a locator begins with, or contains, if it can begin with the prefix: it may be written in other letters. */
const MAY_HAVE_PREFIX = /^www\.|[^ -~]/i
/** A shorter name of a vendor would also be the beginning of other names. */
const MIN_VENDOR_LENGTH = 4

/**
 * Reports hosts that belong to neither the website nor a source of the rule. A host of the vendor may have another domain that
 * begins with the vendor's name, such as googleapis.com for google.com. Site types may name any host: they describe no vendor.
 */
export function checkHosts(file: SourceFile, source: RuleSource, places: Places): Finding[] {
  if (source.kind === 'site-type') return []
  const hosts = source.detect.flatMap((clause, i) => findSiteHosts(clause, ['detect', i], places))
  if (hosts.length === 0) return []
  const vendors = [source.website ?? [], source.source].flat().map((url) => new URL(url).hostname)
  return hosts
    .filter(({ host }) => !isOfVendor(host, vendors))
    .map(({ host, path }) => buildFinding('customer-host', file.valueAt(path), { value: host }))
}

interface NamedHost {
  readonly host: string
  readonly path: Path
}

/** Finds the full hosts of sites that a clause looks for, except those under a `not`. */
function findSiteHosts(clause: ClauseSource, path: Path, places: Places): NamedHost[] {
  const inner = ['all', 'any', 'of'].flatMap((group) =>
    toList<ClauseSource>(clause[group]).flatMap((one, i) => findSiteHosts(one, [...path, group, i], places)),
  )
  const key = Object.keys(clause).find((name) => places.has(name))
  if (key === undefined) return inner
  const isAsset = key === ASSET
  const isOfSite =
    isAsset || SITE_PLACES.has(key) || toList<unknown>(clause[key]).some((word) => SITE_WORDS.test(String(word)))
  const keys = places.get(key)?.word === 'locator' ? [key, 'is', 'under'] : ['is', 'under']
  const hosts = isOfSite ? keys.flatMap((name) => findHosts(clause, name, path)) : []
  return isAsset ? hosts.filter(({ host }) => host.startsWith(SITE_PREFIX)) : hosts
}

function findHosts(clause: ClauseSource, key: string, path: Path): NamedHost[] {
  return toList<unknown>(clause[key]).flatMap((value, i) => {
    const host = key === ASSET && !MAY_HAVE_PREFIX.test(String(value)) ? null : readFullHost(String(value))
    return host === null ? [] : [{ host, path: Array.isArray(clause[key]) ? [...path, key, i] : [...path, key] }]
  })
}

/** The host of a locator or a value, if it is a full host name and not an address. */
function readFullHost(text: string): string | null {
  try {
    if (text.startsWith('/')) return null
    const { hosts, host } = parseLocator(text)
    return hosts === 'exact' && getDomain(host) !== null ? host : null
  } catch (error) {
    if (error instanceof RuleSyntaxError) return null
    throw error
  }
}

function isOfVendor(host: string, vendors: readonly string[]): boolean {
  const name = getDomainWithoutSuffix(host) ?? host
  return vendors.some((vendor) => {
    const vendorName = getDomainWithoutSuffix(vendor) ?? vendor
    if (getDomain(vendor) === getDomain(host)) return true
    return vendorName.length >= MIN_VENDOR_LENGTH && name.startsWith(vendorName)
  })
}
