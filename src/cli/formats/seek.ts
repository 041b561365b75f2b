import type { AsyncIterReader } from 'warcio'

/** Damage in a file that is read; `message` says what and where. */
export class BrokenData extends Error {}

/** How the beginning of something looks in a stream of bytes, one character a byte. */
export interface Mark {
  /** What stands before it; the beginning of the stream counts as that. */
  readonly lead: string
  readonly text: string
  /** Finds a character that is no filling between one thing and the next. */
  readonly foreign: RegExp
}

/** Where a reader was moved to. */
export interface Gap {
  /** False at the end of the stream. */
  readonly found: boolean
  /** Whether nothing but filling was passed over. */
  readonly clean: boolean
}

/** Moves a reader to the next mark, in constant memory. */
export async function seek(reader: AsyncIterReader, { lead, text, foreign }: Mark): Promise<Gap> {
  const wanted = lead + text
  const isFilling = (bytes: Buffer): boolean => !foreign.test(bytes.toString('latin1'))
  let rest: Buffer = Buffer.from(lead, 'latin1')
  let clean = true
  for await (const chunk of reader) {
    const bytes = Buffer.concat([rest, chunk])
    const at = bytes.indexOf(wanted, 0, 'latin1')
    const end = at < 0 ? Math.max(0, bytes.length - wanted.length + 1) : at + lead.length
    clean &&= isFilling(bytes.subarray(0, end))
    rest = bytes.subarray(end)
    if (at < 0) continue
    reader.unread(rest)
    return { found: true, clean }
  }
  return { found: false, clean: clean && isFilling(rest) }
}
