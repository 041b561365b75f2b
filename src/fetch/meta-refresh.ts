import { readTags, type WantedTags } from '../engine/page/tag-reader.ts'

/** Bytes of a page that are searched for a refresh, which belongs in the head. */
const HEAD_BYTES = 65_536
// Cheap first test, because few pages contain a refresh. It is linear: no two runs of white space are adjacent, for which a
// failing match would try every split (15 s for 64 KiB of spaces).
const HINT = /http-equiv\s*=\s*(?:["']\s*)?refresh/i
const WANTED: WantedTags = new Map([['meta', new Set(['http-equiv', 'content'])]])

/**
 * Finds the contents of the `<meta http-equiv=refresh>` elements that a browser with scripting follows, in document order.
 * The names are ASCII in every charset that browsers accept, so the bytes are decoded as Latin-1.
 */
export function findMetaRefreshes(html: Uint8Array): string[] {
  const head = Buffer.from(html.buffer, html.byteOffset, Math.min(html.length, HEAD_BYTES)).toString('latin1')
  if (!HINT.test(head)) return []
  const contents: string[] = []
  readTags(head, WANTED, (_, attributes) => {
    const content = attributes.get('content')
    const isRefresh = attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh'
    if (isRefresh && content !== undefined) contents.push(content)
    return true
  })
  return contents
}
