// A parsed page: plain data, read once.
import type { PageUrl, UrlBase } from '../text/url.ts'

export type UrlKind = 'script' | 'asset' | 'frame' | 'link' | 'anchor'

export interface UrlUse {
  readonly kind: UrlKind
  /** Lower-case rel tokens, for `link` alone. */
  readonly rel: readonly string[]
  readonly url: PageUrl
  /** The element that names it. */
  readonly at: number
}

/** The elements of a page in document order, one entry an element in every array. */
export interface Tape {
  /** Lower case. */
  readonly tags: readonly string[]
  /** Index of the parent; -1 at the top and below the depth bound. */
  readonly parents: readonly number[]
  /** Attributes of element i are `names[k]`, `values[k]` for `attributes[i] <= k < attributes[i + 1]`; names in lower case. */
  readonly attributes: readonly number[]
  readonly names: readonly string[]
  readonly values: readonly string[]
  /** All text of the document in order, scripts and styles included; block tags leave a space. */
  readonly texts: readonly string[]
  /** The element's text is `texts.slice(textFrom[i], textTo[i]).join('')`. */
  readonly textFrom: readonly number[]
  readonly textTo: readonly number[]
}

/** Everything that was seen of one answer: plain, immutable, independent of any ruleset. null and absent = not looked at. */
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
  /** Inline scripts, data blocks included, JSON-LD not. */
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
  /** Parsed JSON-LD blocks; broken ones are left out. */
  readonly jsonld: readonly unknown[]
  /** Visible text, white space collapsed. */
  readonly text: string
  /** Words of `text`, as Intl.Segmenter counts them; in scripts without spaces, two characters a word. */
  readonly words: number
  /** Record type, or type and label (`txt _vercel`), in lower case → records. */
  readonly dns: Readonly<Record<string, readonly string[]>> | null
  readonly tls: { readonly issuer: string | null; readonly names: readonly string[] } | null
  readonly robots: string | null
  /** mmh3 hash of the favicon, as Shodan counts it. */
  readonly favicon: number | null
  /** What URLs of the page are resolved against. */
  readonly base: UrlBase
  /** One sentence for each thing that was cut. */
  readonly warnings: readonly string[]
}

/** What one pass over a document leaves behind. */
export interface Parsed {
  readonly tape: Tape
  readonly comments: readonly string[]
  /** Visible text, white space collapsed. */
  readonly text: string
  readonly warnings: readonly string[]
}
