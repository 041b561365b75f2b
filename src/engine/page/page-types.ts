import type { PageUrl, UrlBase } from '../text/url.ts'

export type UrlKind = 'script' | 'asset' | 'frame' | 'link' | 'anchor'

/** `at` of a URL that is in no element of the page. */
export const NO_ELEMENT = -1

export interface UrlUse {
  readonly kind: UrlKind
  /** Lower-case rel tokens; only for `link`. */
  readonly rel: readonly string[]
  readonly url: PageUrl
  /** Index of the element that contains the URL, or `NO_ELEMENT`. */
  readonly at: number
}

/** The elements of a page in document order. `tags`, `parents`, `textFrom` and `textTo` have one entry per element. */
export interface Tape {
  /** Lower case. */
  readonly tags: readonly string[]
  /** Index of the parent; -1 for the root and below the depth bound. */
  readonly parents: readonly number[]
  /** Attributes of element i are `names[k]`, `values[k]` for `attributes[i] <= k < attributes[i + 1]`; names in lower case. */
  readonly attributes: readonly number[]
  readonly names: readonly string[]
  readonly values: readonly string[]
  /** All text of the document in order, including scripts and styles. Block tags add a space. */
  readonly texts: readonly string[]
  /** The element's text is `texts.slice(textFrom[i], textTo[i]).join('')`. */
  readonly textFrom: readonly number[]
  readonly textTo: readonly number[]
}

/** The text of a script or style sheet that a page loads. */
export interface PageBody {
  readonly url: PageUrl
  readonly text: string
}

/** The scripts or the style sheets of a page. */
export interface PageBodies {
  readonly bodies: readonly PageBody[]
  /**
   * Whether all files that the page links from its own build were read completely. If not, a literal may have been
   * missed.
   */
  readonly isComplete: boolean
}

/** A tag that a tag manager adds to a page, as its container lists it. */
export interface PageTag {
  /** The container: `Google Tag Manager GTM-0A1B2C`. */
  readonly through: string
  /** Whether it waits for something that the page does not show. */
  readonly isConditional: boolean
  /** What kind of tag it is, in the words of its manager. */
  readonly kinds: readonly string[]
  /** Its scripts, whose escapes are decoded. */
  readonly scripts: readonly string[]
  /** Addresses in its HTML and its scripts. */
  readonly urls: readonly UrlUse[]
}

/** A parsed response: plain, immutable data, independent of any ruleset. null and absent mean that it was not looked at. */
export interface Page {
  /** The final URL, without fragment. */
  readonly url: PageUrl | null
  readonly status: number | null
  /** Names in lower case, values trimmed. */
  readonly headers: readonly (readonly [string, string])[] | null
  readonly html: string
  readonly tape: Tape
  readonly title: string | null
  readonly urls: readonly UrlUse[]
  readonly comments: readonly string[]
  /** Inline scripts, without blocks of JSON. */
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
  /** Parsed JSON-LD blocks, without broken ones. */
  readonly jsonld: readonly unknown[]
  /** Visible text, white space collapsed. */
  readonly text: string
  /** Words of `text`, as `countWords` defines them. */
  readonly words: number
  /** Record type, or type and label (`txt _vercel`), in lower case → records. */
  readonly dns: Readonly<Record<string, readonly string[]>> | null
  readonly tls: { readonly issuer: string | null; readonly names: readonly string[] } | null
  /** The address that answered. */
  readonly address: string | null
  /** The network of this address; `unknown` if it was looked up and is none that rules name. */
  readonly network: { readonly asn: number; readonly name: string } | 'unknown' | null
  readonly robots: string | null
  /** mmh3 hash of the favicon, as Shodan computes it. */
  readonly favicon: number | null
  /** The scripts and style sheets of the site's own build that were read, as `selectBodies` selects them. */
  readonly bundles: PageBodies | null
  readonly stylesheets: PageBodies | null
  /** The tags of the containers that were read, those that run on every page first. */
  readonly tags: readonly PageTag[] | null
  /** Path and text of the properties of `window` that were read in a browser; null without one. */
  readonly globals: readonly (readonly [string, string])[] | null
  /** Name and value of the cookies that the page has set in a browser. */
  readonly cookies: readonly (readonly [string, string])[]
  /** The base that URLs of the page are resolved against. */
  readonly base: UrlBase
  /** One sentence for each part of the response that was cut. */
  readonly warnings: readonly string[]
}

/** The result of one pass over a document. */
export interface Parsed {
  readonly tape: Tape
  readonly comments: readonly string[]
  /** Visible text, white space collapsed. */
  readonly text: string
  /** What of the document is not on the tape. */
  readonly warnings: readonly string[]
  /** Whether a `<noscript>`, `<template>`, `<svg>` or `<math>` has no end tag of its own. */
  readonly hasUnclosed: boolean
}
