import { getDomain } from 'tldts'
import { findHeader } from '../engine/page/find-header.ts'
import { cutLine } from '../engine/text/bounds.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import type { Site } from '../fetch/fetch.ts'
import type { Networks } from '../networks/network-table.ts'
import type { Extras } from './extra-schemas.ts'
import { findCdn } from './extras.ts'

/** Maximum length of a string in `infrastructure` in characters. */
const MAX_NAME_LENGTH = 256
/** Maximum number of name server domains in `infrastructure`. */
const MAX_DNS_DOMAINS = 16

function cutName(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : cutLine(text, MAX_NAME_LENGTH)
}

/** Builds the extra `infrastructure`: how the page is served. Texts and lists from outside are bounded. */
export function buildInfrastructure(
  { dns, address, tls, tlsError, headers }: Site,
  verdict: Verdict,
  networks: Networks,
): Extras['infrastructure'] {
  const network = address === null ? null : networks.find(address)
  return {
    cdn: findCdn(verdict),
    dns: [...new Set((dns?.ns ?? []).map((name) => cutLine(getDomain(name) ?? name, MAX_NAME_LENGTH)))].slice(
      0,
      MAX_DNS_DOMAINS,
    ),
    ip: address,
    tlsIssuer: cutName(tls?.issuer),
    tlsError,
    server: cutName(findHeader(headers, 'server')),
    network: network && { asn: network.asn, name: cutLine(network.name, MAX_NAME_LENGTH) },
    reverseDns: cutName(dns?.ptr?.[0]),
  }
}
