import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import type { AsyncIterReader } from 'warcio'
import { BrokenData, type Mark, seek } from './seek.ts'

/** A member's first bytes (RFC 1952); zeros between members are filling. */
export const MEMBER: Mark = { lead: '', text: '\x1f\x8b\x08', foreign: /[^\0]/ }
const MAX_NAME_BYTES = 1024

/**
 * What the members of a gzip file hold, one after the other, in constant memory. A broken member throws BrokenData once,
 * after what could be unpacked of it; the call after that goes on with the next member. That is why zlib's own reader of
 * several members is not used: it ends at the first fault, and does not tell where a member began.
 */
export class GzipMembers implements AsyncIterableIterator<Uint8Array> {
  readonly #packed: AsyncIterReader
  #member: AsyncGenerator<Uint8Array, void> | null = null
  #isTold = false

  constructor(packed: AsyncIterReader) {
    this.#packed = packed
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      if (this.#member === null && !(await this.#open())) return { done: true, value: undefined }
      try {
        const step = await this.#member?.next()
        if (step?.done === false) return step
        this.#member = null
      } catch (error) {
        this.#member = null
        this.#isTold = true
        throw error
      }
    }
  }

  async #open(): Promise<boolean> {
    const { found, clean } = await seek(this.#packed, MEMBER)
    if (!clean && !this.#isTold) {
      this.#isTold = true
      throw new BrokenData('the file holds bytes that are no gzip data')
    }
    if (!found) return false
    this.#isTold = false
    this.#member = inflateMember(this.#packed)
    return true
  }
}

async function* inflateMember(packed: AsyncIterReader): AsyncGenerator<Uint8Array, void> {
  let header = await takeHeader(packed)
  const inflate = createInflateRaw()
  const push = pusherOf(inflate)
  let held: Uint8Array | null = null
  let sum = 0
  try {
    for await (const chunk of packed) {
      const before = inflate.bytesWritten
      const { unpacked, state } = await push(chunk)
      for (const part of unpacked) {
        if (held !== null) yield held
        sum = crc32(part, sum)
        held = part
      }
      if (state === 'broken') packed.unread(Buffer.concat([header, chunk]))
      if (state === 'end') packed.unread(chunk.subarray(inflate.bytesWritten - before))
      header = new Uint8Array()
      if (state === 'more') continue
      // The last part waits for the checksum, so that damage shows before its record is complete.
      if (state === 'end') await checkSum(packed, sum)
      if (held !== null) yield held
      if (state === 'broken') throw new BrokenData('the gzip data is damaged')
      return
    }
    packed.unread(header)
    if (held !== null) yield held
    throw new BrokenData('the gzip data ends in the middle')
  } finally {
    inflate.destroy()
  }
}

interface Pushed {
  readonly unpacked: readonly Uint8Array[]
  readonly state: 'more' | 'end' | 'broken'
}

function pusherOf(inflate: InflateRaw): (chunk: Uint8Array) => Promise<Pushed> {
  let unpacked: Uint8Array[] = []
  let settle = (_: Pushed['state']): void => {}
  inflate.on('data', (part: Uint8Array) => unpacked.push(part))
  inflate.on('end', () => settle('end'))
  inflate.on('error', () => settle('broken'))
  return async (chunk) => {
    const state = await new Promise<Pushed['state']>((resolve) => {
      settle = resolve
      inflate.write(chunk, (error) => resolve(error ? 'broken' : 'more'))
    })
    const pushed = { unpacked, state }
    unpacked = []
    return pushed
  }
}

/** Takes a member's header; gives back what follows its fixed part, which may be of the next member when it is damaged. */
async function takeHeader(packed: AsyncIterReader): Promise<Uint8Array> {
  const taken: Uint8Array[] = []
  const take = async (bytes: number): Promise<Uint8Array> => {
    const part = await packed.readSize(bytes)
    taken.push(part)
    return part
  }
  const flags = (await packed.readSize(10))[3]
  if (flags & 4) {
    const [low, high] = await take(2)
    await take(low + high * 256)
  }
  for (const flag of [8, 16])
    if (flags & flag) for (let bytes = 0; bytes < MAX_NAME_BYTES && (await take(1))[0]; ) bytes++
  if (flags & 2) await take(2)
  return Buffer.concat(taken)
}

async function checkSum(packed: AsyncIterReader, sum: number): Promise<void> {
  const trailer = Buffer.from(await packed.readSize(8))
  if (trailer.length < 8) throw new BrokenData('the gzip data ends in the middle')
  if (trailer.readUInt32LE(0) !== sum) throw new BrokenData('the gzip data is damaged')
}
