import murmurhash from 'murmurhash'

/** 57 bytes are 76 characters of base64. */
const BYTES_PER_LINE = 57

/**
 * Hashes a favicon like Shodan (`http.favicon.hash`): MurmurHash3 (x86, 32 bits, seed 0) of the base64 text with a line
 * break after every 76 characters and at the end, as Python's `base64.encodebytes` writes it.
 * @returns a signed 32-bit integer
 */
export function hashFavicon(bytes: Uint8Array): number {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = Buffer.allocUnsafe(Math.ceil(source.length / BYTES_PER_LINE) * 77)
  let end = 0
  for (let from = 0; from < source.length; from += BYTES_PER_LINE) {
    end += text.write(source.toString('base64', from, from + BYTES_PER_LINE), end, 'latin1')
    end += text.write('\n', end, 'latin1')
  }
  return murmurhash.v3(text.subarray(0, end), 0) | 0
}
