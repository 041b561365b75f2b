/** A link that a response header declares. */
export interface HeaderLink {
  /** As written, relative to the address of the response. */
  readonly href: string
  /** Lower-case tokens. */
  readonly rel: readonly string[]
}

// A target, then parameters up to the comma before the next one, which may be within quotes (RFC 8288, section 3). A target contains
// no bracket, so that reading takes linear time.
const LINK = /<([^<>]*)>((?:[^",<]|"[^"]*")*)/g
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i

/** Reads the links of one `Link` header. Text without target or `rel` declares nothing. */
export function parseLinkHeader(value: string): HeaderLink[] {
  return Array.from(value.matchAll(LINK), ([, href, parameters]) => {
    const [, quoted, token] = REL.exec(parameters) ?? []
    return { href, rel: (quoted ?? token ?? '').toLowerCase().split(/\s+/).filter(Boolean) }
  }).filter(({ rel }) => rel.length > 0)
}
