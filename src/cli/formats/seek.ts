import type { AsyncIterReader } from 'warcio'

/** Damage in a file; `message` says what and where. */
export class BrokenDataError extends Error {}

/** Marks the beginning of an item in a stream of bytes, one character per byte. */
export interface ItemMark {
  /** Text before the mark. The beginning of the stream counts as such a text. */
  readonly lead: string
  readonly text: string
  /** Matches a character that is not padding between two items. */
  readonly foreign: RegExp
}

/** Result of a search for a mark. */
export interface SoughtGap {
  /** False at the end of the stream. */
  readonly found: boolean
  /** Whether only padding was skipped. */
  readonly clean: boolean
}

/** Moves a reader to the next mark, in constant memory. */
export async function seek(reader: AsyncIterReader, { lead, text, foreign }: ItemMark): Promise<SoughtGap> {
  const wanted = lead + text
  const isPadding = (bytes: Buffer): boolean => !foreign.test(bytes.toString('latin1'))
  let rest: Buffer = Buffer.from(lead, 'latin1')
  let clean = true
  for await (const chunk of reader) {
    const bytes = Buffer.concat([rest, chunk])
    const at = bytes.indexOf(wanted, 0, 'latin1')
    const end = at < 0 ? Math.max(0, bytes.length - wanted.length + 1) : at + lead.length
    clean &&= isPadding(bytes.subarray(0, end))
    rest = bytes.subarray(end)
    if (at < 0) continue
    reader.unread(rest)
    return { found: true, clean }
  }
  return { found: false, clean: clean && isPadding(rest) }
}
