import murmurhash from 'murmurhash'

/**
 * Hash of a favicon as Shodan counts it (`http.favicon.hash`): MurmurHash3 (x86, 32 bits, seed 0) of the base64 text with
 * a line break after every 76 characters and at the end, as Python's `base64.encodebytes` writes it.
 * @returns a signed 32-bit integer
 */
export function faviconHash(bytes: Uint8Array): number {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  return murmurhash.v3(base64.replace(/.{1,76}/g, '$&\n'), 0) | 0
}
