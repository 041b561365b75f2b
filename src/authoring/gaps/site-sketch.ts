/** Number of hashes that a sketch keeps. Up to this number of sites, it counts exactly; beyond, the standard error is 9 %. */
const SIZE = 128
const RANGE = 2 ** 32

/** Counts different sites in bounded memory: it keeps the smallest hashes, whose density tells how many there are (KMV sketch). */
export class SiteSketch {
  /** Sorted. */
  readonly #hashes: number[] = []

  /** @param hash of the site, an unsigned integer of 32 bits. @returns whether the site may be new */
  add(hash: number): boolean {
    const hashes = this.#hashes
    if (hashes.length === SIZE && hash >= hashes[SIZE - 1]) return false
    let [low, high] = [0, hashes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (hashes[middle] < hash) low = middle + 1
      else high = middle
    }
    if (hashes[low] === hash) return false
    hashes.splice(low, 0, hash)
    if (hashes.length > SIZE) hashes.pop()
    return true
  }

  /** Number of different sites, estimated beyond `SIZE`. */
  get count(): number {
    const { length } = this.#hashes
    return length < SIZE ? length : Math.round(((SIZE - 1) * RANGE) / this.#hashes[SIZE - 1])
  }
}

/** Hashes a text to an unsigned integer of 32 bits (FNV-1a with the finalizer of MurmurHash3, which spreads similar texts). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
