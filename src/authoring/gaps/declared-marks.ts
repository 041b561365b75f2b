import { getDomain } from 'tldts'
import { readAttribute } from '../../engine/page/element.ts'
import type { Page } from '../../engine/page/page-types.ts'
import type { Explainer } from './explainer.ts'
import type { Mark } from './mark.ts'
import { isOrdinary } from './ordinary.ts'

/** The name in a generator: what precedes its version, a separator, or an address. */
const GENERATOR =
  /^(?:(?:powered|generated|created|made) (?:by|with) )?(.{1,40}?)(?:[;,:(|<>"]|\s[-–—]|\sby\s|\s?v?\d+\.|\s{1,3}v?\d|https?:|$)/i
/** Header fields of the registry of IANA and of browsers' documentation that servers of any kind send. */
const STANDARD_HEADERS = new Set(
  `accept-patch accept-post accept-ranges access-control-allow-credentials access-control-allow-headers access-control-allow-methods
  access-control-allow-origin access-control-expose-headers access-control-max-age age allow alt-svc alt-used cache-status
  cdn-cache-control clear-site-data content-disposition content-language content-location content-md5 content-range
  content-security-policy content-security-policy-report-only critical-ch cross-origin-embedder-policy cross-origin-opener-policy
  cross-origin-opener-policy-report-only cross-origin-resource-policy delta-base deprecation dpr expect-ct feature-policy im link
  location nel observe-browsing-topics origin-agent-cluster p3p permissions-policy pragma priority proxy-authenticate
  proxy-connection proxy-status public-key-pins referrer-policy refresh report-to reporting-endpoints retry-after server-timing
  service-worker-allowed sourcemap speculation-rules status sunset supports-loading-mode surrogate-control surrogate-key
  timing-allow-origin tk trailer transfer-encoding upgrade vary via warning www-authenticate x-content-type-options x-dns-prefetch-control
  x-download-options x-frame-options x-permitted-cross-domain-policies x-robots-tag x-ua-compatible x-xss-protection`.split(
    /\s+/,
  ),
)
/** Parts of names that are counters, hashes or keys of one site. */
const CHANGING = /[0-9a-f]{8,}|\d{2,}/gi

/** Reads the names in `meta generator`. */
export function readGenerators({ tape }: Page, explainer: Explainer): Mark[] {
  return tape.tags.flatMap((tag, at): Mark[] => {
    if (tag !== 'meta' || readAttribute(tape, at, 'name')?.trim().toLowerCase() !== 'generator') return []
    const text = readAttribute(tape, at, 'content')?.trim() ?? ''
    const name = GENERATOR.exec(text)?.[1].trim().toLowerCase() ?? ''
    if (!/\p{L}{2}/u.test(name)) return []
    const isExplained = explainer.explains(['meta'], { name: 'generator', text, at })
    return [{ kind: 'generator', key: name, shown: text, isExplained }]
  })
}

/** Reads the names of response headers, and of the cookies that they set. */
export function readHeaders({ headers }: Page, explainer: Explainer): Mark[] {
  return (headers ?? []).flatMap(([name, value]): Mark[] => {
    if (name === 'set-cookie') return readCookie(value, explainer)
    if (STANDARD_HEADERS.has(name) || isOrdinary('header', name)) return []
    const isExplained = explainer.explains(['header'], { name, text: value })
    return [{ kind: 'header', key: name.replace(CHANGING, '*'), shown: `${name}: ${value}`, isExplained }]
  })
}

function readCookie(header: string, explainer: Explainer): Mark[] {
  const [pair] = header.split(';', 1)
  const name = pair.slice(0, Math.max(0, pair.indexOf('='))).trim()
  if (name === '' || isOrdinary('cookie', name.toLowerCase())) return []
  const isExplained = explainer.explains(['cookie'], { name, text: pair.slice(name.length + 1).trim() })
  return [{ kind: 'cookie', key: name.replace(CHANGING, '*'), shown: `${name}=`, isExplained }]
}

/** Reads the domain below which the site of a page is: `something.app` of `shop.something.app`. */
export function readSite({ url }: Page, explainer: Explainer): Mark[] {
  if (url === null) return []
  const domain = getDomain(url.host)
  if (domain === null || url.host === domain || url.host === `www.${domain}`) return []
  const isExplained = explainer.explains(['url'], { name: '', text: url.href, url })
  return [{ kind: 'site', key: `*.${domain}`, shown: url.host, isExplained }]
}
