/** The data of a site in a report. All texts come from outside: each is cut to one line, and not escaped. */
export interface ReportSite {
  /** The entry of the list, the id of the page, or `line 7` for a line without either. */
  readonly name: string
  /** Address of the scanned page; null if it is not known or not an http or https URL. */
  readonly link: string | null
  /** Why the site has no result; null if it has one. Then the other fields are empty. */
  readonly failure: { readonly code: string; readonly sentence: string } | null
  /** What came back instead of the site, such as `wall`; null for the site, and if it is not known. */
  readonly state: string | null
  readonly builder: string | null
  /** null without a builder. */
  readonly isAiNative: boolean | null
  readonly confidence: Confidence | null
  readonly hosting: string | null
  /** The network of the address that answered, with its number, and the name of this address; null without `--include infrastructure`. */
  readonly network: string | null
  readonly reverseDns: string | null
  /** Code of what is wrong with the certificate; null for a valid one, without TLS, and without `--include infrastructure`. */
  readonly tlsError: string | null
  /** Slug of the site type. */
  readonly siteType: string | null
  /** Display names, without duplicates. */
  readonly technologies: readonly string[]
  /** Other pages of the site that were read, with their builders; empty without `--pages`. */
  readonly parts: readonly SitePart[]
  /** Technology → version; empty without `--include versions`. */
  readonly versions: ReadonlyMap<string, string>
  /** Technologies with a version whose support had ended on the day of the scan; empty without `--include details`. */
  readonly ended: readonly string[]
}

/** A page of a site that was read in addition to its first one. */
export interface SitePart {
  readonly url: string
  readonly builder: string | null
}

export const CONFIDENCES = ['high', 'medium', 'low'] as const
type Confidence = (typeof CONFIDENCES)[number]

/** The data of the rules about names in results. */
export interface ReportLabels {
  /** Site type → its name. */
  readonly siteTypes: ReadonlyMap<string, string>
  /** Display name of a technology → title of its category. */
  readonly technologies: ReadonlyMap<string, string>
  /** Slugs of AI-native builders, for results of revision 1, which lack the field. */
  readonly aiNative: ReadonlySet<string>
}

/** The name of a site type; its slug if the rules do not contain it. */
export function nameSiteType(siteType: string, { siteTypes }: Pick<ReportLabels, 'siteTypes'>): string {
  return siteTypes.get(siteType) ?? siteType
}
