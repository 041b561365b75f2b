import { decodeHtml } from '../text/charset.ts'
import { type BodyLink, type ContainerLink, findDocumentLinks } from './body-links.ts'
import { collectLinkTags, type LinkTags, MAX_LINK_CHARACTERS, readLinkTags } from './link-tags.ts'
import type { Parsed } from './page-types.ts'

/** Bounds on the scripts and style sheets of a page that are read: see docs/fetching.md. */
export const BODY_BOUNDS = {
  script: { count: 4, totalBytes: 3 * 1024 * 1024 },
  style: { count: 2, totalBytes: 512 * 1024 },
  container: { count: 2, totalBytes: 2 * 1024 * 1024 },
} as const
/** Maximum size of one body after decompression, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024

/** The scripts and style sheets of a page whose text is worth reading. */
export interface BodySelection {
  /** The selected ones of each kind, the most informative first. */
  readonly selected: {
    readonly script: readonly BodyLink[]
    readonly style: readonly BodyLink[]
    /** Containers of tag managers, whose text is read for the tags that they list. */
    readonly container: readonly ContainerLink[]
  }
  /** Number of files of the site's own build that are beyond the bounds. */
  readonly skipped: { readonly script: number; readonly style: number }
  /** URLs of everything that the page links, selected or not. */
  readonly linked: ReadonlySet<string>
}

// Hosts that serve libraries, analytics and embeds to many sites: their URL says which. Their subdomains count too.
const SHARED_HOSTS: ReadonlySet<string> = new Set(
  (
    'addthis.com addtoany.com adobedtm.com ajax.aspnetcdn.com ajax.googleapis.com amazon-adsystem.com amplitude.com ' +
    'assets.adobedtm.com bootstrapcdn.com browser.sentry-cdn.com bunny.net calendly.com cdn.ampproject.org cdn.auth0.com ' +
    'cdn.jsdelivr.net cdn.segment.com cdn.tailwindcss.com cdnjs.cloudflare.com challenges.cloudflare.com chatwoot.com ' +
    'clarity.ms code.iconify.design code.jquery.com connect.facebook.net cookiebot.com cookielaw.org crisp.chat disqus.com ' +
    'doubleclick.net drift.com esm.run esm.sh fontawesome.com fonts.bunny.net fonts.googleapis.com fullstory.com ga.jspm.io ' +
    'google-analytics.com google.com googlesyndication.com googletagmanager.com gstatic.com hcaptcha.com hotjar.com ' +
    'hs-analytics.net hs-scripts.com hsforms.net intercom.io jsdelivr.net jspm.dev klaviyo.com licdn.com list-manage.com ' +
    'logrocket.io maps.googleapis.com matomo.cloud mixpanel.com mxpnl.com newrelic.com nr-data.net onesignal.com osano.com ' +
    'paddle.com paypal.com paypalobjects.com pinimg.com plausible.io player.vimeo.com polyfill-fastly.io polyfill.io ' +
    'posthog.com pusher.com recaptcha.net segment.io sentry-cdn.com sentry.io sharethis.com skypack.dev snapchat.com ' +
    'static.cloudflareinsights.com stripe.com tawk.to termly.io tiktok.com trustpilot.com twimg.com twitter.com typekit.net ' +
    'umami.is unpkg.com usercentrics.eu userway.org vimeo.com widget.intercom.io yandex.ru youtube.com zdassets.com'
  ).split(' '),
)
// Hosts below these serve the build of one site each.
const BUILD_HOSTS: ReadonlySet<string> = new Set(
  (
    'azurestaticapps.net b-cdn.net cloudfront.net deno.dev edgeone.app firebaseapp.com fly.dev github.io gitlab.io ' +
    'herokuapp.com netlify.app onrender.com pages.dev railway.app r2.dev surge.sh vercel.app web.app workers.dev'
  ).split(' '),
)
/** Folders into which build tools write the files of one site. */
const BUILD_PATH = /\/(?:_next|_nuxt|_astro|_app\/immutable|assets|build|static\/(?:js|css))\//
/**
 * File names of entry points, with or without a hash: `index-Db9WxpQ5.js`, `main.56ed1341.js`, `_app-1a2b.js`,
 * `main-app.js`.
 */
const ENTRY_NAME = /^_?(?:main|index|app|entry|client)(?:[-._].*)?\.(?:m?js|css)$/i
/** File names that identify the file, and files that contain only the loader of a bundler. */
const TOLD_NAME = /^(?:polyfills?|runtime|webpack|jquery|modernizr|normalize|reset)(?:[-._]|\d|$)/i

/**
 * Selects the scripts and style sheets of a page whose text is read, in the text of the document. All kinds of input are selected in the
 * same way: live sites before they are fetched (`selectBodiesOfResponse`), saved pages with bodies, HAR and WARC files, and a parsed
 * page with bodies again (`selectBodiesOfTape`), to know which of them are there.
 * @param address the page's URL; null if it is unknown
 */
export function selectBodies(html: string, address: string | null): BodySelection {
  return selectLinks(readLinkTags(html), address)
}

/** Selects like `selectBodies`, from the tape of the document if that gives the same tags. */
export function selectBodiesOfTape(parsed: Parsed, html: string, address: string | null): BodySelection {
  const tags = html.length > MAX_LINK_CHARACTERS ? null : collectLinkTags(parsed)
  return tags === null ? selectBodies(html, address) : selectLinks(tags, address)
}

function selectLinks(tags: LinkTags, address: string | null): BodySelection {
  const { links, containers } = findDocumentLinks(tags, address)
  const listed = new Set(containers.map(({ loaded }) => loaded))
  const script = rankLinks(links.filter(({ kind, url }) => kind === 'script' && !listed.has(url.href)))
  const style = rankLinks(links.filter(({ kind }) => kind === 'style'))
  const { script: scripts, style: styles, container } = BODY_BOUNDS
  return {
    selected: {
      script: script.slice(0, scripts.count),
      style: style.slice(0, styles.count),
      container: containers.slice(0, container.count),
    },
    skipped: { script: Math.max(0, script.length - scripts.count), style: Math.max(0, style.length - styles.count) },
    linked: new Set(links.map(({ url }) => url.href)),
  }
}

/** Selects like `selectBodies`, from the body of a response as bytes. */
export function selectBodiesOfResponse(
  html: Uint8Array,
  contentType: string | undefined,
  address: string | null,
): BodySelection {
  return selectBodies(decodeHtml(html.subarray(0, MAX_LINK_CHARACTERS), contentType), address)
}

/** Sorts the links of the site's own build by rank, then by document order, and drops all others. */
function rankLinks(links: readonly BodyLink[]): readonly BodyLink[] {
  return links
    .map((link) => ({ link, rank: rankLink(link) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => Number(a.rank) - Number(b.rank))
    .map(({ link }) => link)
}

/**
 * Ranks a link: first what the page loads from its own site, then what it preloads, then what a host loads that serves only
 * builds; in each of these groups entry points first and files that are known by name last.
 * @returns null if the text of the file is not read
 */
function rankLink({ url, isModule, isPreload }: BodyLink): number | null {
  const isOwn = url.own === true
  const isBuild = isBelow(url.host, BUILD_HOSTS) || BUILD_PATH.test(url.path)
  if (!isOwn && (!isBuild || isSharedHost(url.host))) return null
  const group = isPreload ? 1 : isOwn ? 0 : 2
  const name = url.path.slice(url.path.lastIndexOf('/') + 1)
  const isEntry = ENTRY_NAME.test(name) || (isModule && !isPreload)
  return 3 * group + (TOLD_NAME.test(name) ? 2 : isEntry ? 0 : 1)
}

/** Whether a host serves libraries, analytics or embeds to many sites. */
export function isSharedHost(host: string): boolean {
  return isBelow(host, SHARED_HOSTS)
}

/** Whether a set contains a host or a parent domain of it. */
function isBelow(host: string, hosts: ReadonlySet<string>): boolean {
  for (let at = 0; at >= 0; at = host.indexOf('.', at + 1))
    if (hosts.has(host.slice(at === 0 ? 0 : at + 1))) return true
  return false
}
