import { isUtf8 } from 'node:buffer'

/** One line of a stream of bytes; `text` is null where it is longer than was allowed. */
export interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string | null
  /** Whether that is what stands there: bytes that are no UTF-8 are U+FFFD in the text. */
  readonly isUtf8: boolean
  /** Bytes in the stream, line end included. */
  readonly bytes: number
  /** Whether it has a line end: the last line of a file that was cut off has none. */
  readonly isWhole: boolean
}

/** Cuts a stream into lines in constant memory: of a line that is too long nothing is kept but its number. */
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
    const kept = Buffer.concat(parts)
    const text = bytes > maxBytes ? null : kept.toString('utf8').replace(number === 0 ? /^\ufeff/ : '', '')
    const length = isWhole ? bytes + 1 : bytes
    parts = []
    bytes = 0
    number++
    return { number, text, isUtf8: isUtf8(kept), bytes: length, isWhole }
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
