import { isUtf8 } from 'node:buffer'

/** One line of a stream of bytes. */
export interface Line {
  /** From 1. */
  readonly number: number
  /** null for a line that is too long. Bytes that are not valid UTF-8 are U+FFFD. */
  readonly text: string | null
  /** Whether the line is valid UTF-8. */
  readonly isUtf8: boolean
  /** Length in the stream, including the line end. */
  readonly bytes: number
  /** Whether the line has a line end. The last line of a truncated file has none. */
  readonly isWhole: boolean
}

/** Splits a stream into lines, in constant memory: the text of a line that is too long is discarded. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let bytes = 0
  let number = 0
  const take = (part: Uint8Array): void => {
    bytes += part.length
    if (bytes <= maxBytes) parts.push(part)
    else parts = []
  }
  const line = (isWhole: boolean): Line => {
    const joined = Buffer.concat(parts)
    const text = bytes > maxBytes ? null : joined.toString('utf8').replace(number === 0 ? /^\ufeff/ : '', '')
    const length = isWhole ? bytes + 1 : bytes
    parts = []
    bytes = 0
    number++
    return { number, text, isUtf8: isUtf8(joined), bytes: length, isWhole }
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      take(chunk.subarray(from, end))
      yield line(true)
      from = end + 1
    }
    take(chunk.subarray(from))
  }
  if (bytes > 0) yield line(false)
}
