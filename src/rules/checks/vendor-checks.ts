import { getDomain } from 'tldts'
import { toList } from '../../engine/rule/clause.ts'
import { matchLocator, parseLocator } from '../../engine/rule/locator.ts'
import type { ClauseSource, RuleSource } from '../../engine/rule/types.ts'
import type { SourceFile } from '../../yaml/source-file.ts'
import { buildFinding, type Finding } from '../findings.ts'
import { excludeVendorHosts, VENDOR_NAMES } from '../vendor-hosts.ts'

type LocatedUrl = Parameters<typeof matchLocator>[1]

const ANCHOR = 'anchor'
/** Places whose value can be the address of the page, and the word that it has then. */
const ADDRESSES = { url: undefined, link: 'canonical', meta: 'og:url' } as const

/**
 * Reports clauses that hold because of other sites: by a link to another site, or by the address of a page that the vendor
 * publishes about its product. Weak clauses are not judged, because one of them names nothing.
 */
export function checkVendor(file: SourceFile, source: RuleSource): Finding[] {
  if (source.kind === 'site-type') return []
  const { kind } = source
  const pages = kind === 'builder' ? listVendorPages([source.website ?? []].flat()) : []
  return excludeVendorHosts(source).flatMap((clause, i) => {
    if (clause.weight === 'weak') return []
    // A group may hold because of what a page lacks, which no address and no link causes.
    if (holds(clause, () => false)) return []
    const isLink = holds(clause, (leaf) => isForeignLink(leaf, kind === 'builder'))
    const own = pages.filter((page) => holds(clause, (leaf) => hasAddress(leaf, page)))
    if (!isLink && own.length === 0) return []
    const at = file.valueAt(['detect', i])
    return [
      ...(isLink ? [buildFinding('foreign-link', at)] : []),
      ...(own.length === 0 ? [] : [buildFinding('vendor-page', at, { hosts: own.map(({ host }) => host).join(', ') })]),
    ]
  })
}

/** Whether a clause holds if exactly those of its leaves hold that `test` accepts. */
function holds(clause: ClauseSource, test: (leaf: ClauseSource) => boolean): boolean {
  if ('not' in clause) return !holds(clause.not as ClauseSource, test)
  const group = ['all', 'any', 'of'].find((key) => key in clause)
  if (group === undefined) return test(clause)
  const clauses = toList<ClauseSource>(clause[group])
  const count = clauses.filter((one) => holds(one, test)).length
  return count >= (group === 'all' ? clauses.length : Number(clause.atLeast ?? 1))
}

/** Whether a clause accepts a link to another site. Technologies are often found by such links, if these name a host. */
function isForeignLink(leaf: ClauseSource, isBuilder: boolean): boolean {
  if (!(ANCHOR in leaf) || leaf.from === 'own') return false
  return isBuilder || [...toList<string>(leaf[ANCHOR]), ...toList<string>(leaf.under)].every((word) => word[0] === '/')
}

function listVendorPages(websites: readonly string[]): LocatedUrl[] {
  return websites.flatMap((website) => {
    const domain = getDomain(website)
    const hosts = domain === null ? [] : VENDOR_NAMES.map((name) => `${name}.${domain}`)
    return hosts.map((host) => ({ href: `https://${host}/`, host, path: '/', own: true }))
  })
}

/** Whether a clause on the address of a page accepts this one. */
function hasAddress(leaf: ClauseSource, page: LocatedUrl): boolean {
  const place = (['url', 'link', 'meta'] as const).find((key) => key in leaf)
  if (place === undefined || leaf.from === 'other') return false
  const words = toList<string>(leaf[place])
  if (place !== 'url' && !words.some((word) => word.toLowerCase() === ADDRESSES[place])) return false
  const lists = [...(place === 'url' ? [words] : []), ...('under' in leaf ? [toList<string>(leaf.under)] : [])]
  const isUnder = lists.every((list) => list.some((locator) => isBelow(page, locator)))
  if (!isUnder || (lists.length === 0 && !('match' in leaf))) return false
  if ('is' in leaf && !toList<string>(leaf.is).includes(page.href)) return false
  if ('has' in leaf && !toList<string>(leaf.has).some((part) => page.href.includes(part))) return false
  return !('match' in leaf) || new RegExp(String(leaf.match), 'i').test(page.href)
}

/** Whether a locator of hosts of the vendor accepts a page. `www.*` accepts hosts of anybody, which is another fault. */
function isBelow(page: LocatedUrl, text: string): boolean {
  const locator = parseLocator(text)
  return locator.hosts !== 'start' && matchLocator(locator, page)
}
