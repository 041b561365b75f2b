/** The target of a link to the next part and its query. The lengths are bounded, so that a hostile header costs little time. */
const NEXT = /<[^<>?]{0,999}(\?[^<>]{0,999})>;\s{0,9}rel="next"/

/**
 * Finds the query that leads to the next part of a result, in the header `Link` (RFC 8288) of a part.
 * @returns the query with its question mark; null if there is no next part
 */
export function findNextQuery(link: string | null | undefined): string | null {
  return NEXT.exec(link ?? '')?.[1] ?? null
}
