import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACCEPT_ENCODING, type Body, readBody } from '../../src/fetch/body.ts'
import { countRuns } from '../support/property-runs.ts'

const MAX = { maxWireBytes: 100_000, maxBodyBytes: 200_000 }
const never = new AbortController().signal
const html = Buffer.from(`<!doctype html><title>Tide tables</title>${'<p>high water at noon '.repeat(2000)}`)
const noise = Buffer.from(Array.from({ length: 60_000 }, (_, i) => (Math.imul(i, 2_654_435_761) >>> 13) & 255))

const INCOMPLETE = 'could not be decompressed completely'
const UNSUPPORTED = 'an unsupported content encoding'
const WIRE = 'only the first 100000 bytes of the body were read'
const ANALYSED = 'only the first 200000 bytes of the decompressed body were analysed'
const ENDED = 'the connection closed before the end of the body'

function read(chunks: readonly Uint8Array[], encodings?: string, bounds = MAX): Promise<Body> {
  return readBody(Readable.from(chunks, { objectMode: false }), encodings, { ...bounds, signal: never })
}

/** A stream that emits some bytes, then fails. */
function broken(bytes: Uint8Array): Readable {
  const parts = [bytes]
  return new Readable({
    read() {
      const part = parts.shift()
      if (part !== undefined && part.length > 0) this.push(part)
      else this.destroy(new Error('reset'))
    },
  })
}

const gzipped = zlib.gzipSync(html)
const bomb = zlib.gzipSync(Buffer.alloc(50 * 2 ** 20))

const rows: readonly [
  name: string,
  wire: Uint8Array,
  encodings: string | undefined,
  body: Uint8Array,
  warnings: string[],
][] = [
  ['plain', html, undefined, html, []],
  ['an empty body', Buffer.alloc(0), undefined, Buffer.alloc(0), []],
  ['an empty body, declared as gzip', Buffer.alloc(0), 'gzip', Buffer.alloc(0), []],
  ['an empty body with five encodings', Buffer.alloc(0), 'br,br,br,br,br', Buffer.alloc(0), []],
  ['identity', html, 'identity', html, []],
  ['gzip', gzipped, 'gzip', html, []],
  ['x-gzip in capitals and spaces', gzipped, ' X-GZIP ', html, []],
  ['two members of gzip', Buffer.concat([gzipped, gzipped]), 'gzip', Buffer.concat([html, html]), []],
  ['gzip with bytes after it', Buffer.concat([gzipped, Buffer.from('\0\0\0')]), 'gzip', html, []],
  ['deflate with a header', zlib.deflateSync(html), 'deflate', html, []],
  ['deflate without one', zlib.deflateRawSync(html), 'deflate', html, []],
  ['br', zlib.brotliCompressSync(html), 'br', html, []],
  ['gzip in br', zlib.brotliCompressSync(gzipped), 'gzip, br', html, []],
  ['gzip, and identity', gzipped, 'gzip, identity', html, []],
  ['five encodings', gzipped, 'gzip,gzip,gzip,gzip,gzip', Buffer.alloc(0), ['more than 2 content encodings']],
  ['an unknown encoding', html, 'lzma', Buffer.alloc(0), [UNSUPPORTED]],
  ['gzip that is not compressed', html, 'gzip', Buffer.alloc(0), [INCOMPLETE]],
  ['gzip that is br', zlib.brotliCompressSync(html), 'gzip', Buffer.alloc(0), [INCOMPLETE]],
  ['more than the limit', Buffer.alloc(100_001, 'a'), undefined, Buffer.alloc(100_000, 'a'), [WIRE]],
  ['exactly the limit', Buffer.alloc(100_000, 'a'), undefined, Buffer.alloc(100_000, 'a'), []],
  ['a decompression bomb', bomb, 'gzip', Buffer.alloc(200_000), [ANALYSED]],
  ['exactly the limit after decompression', zlib.gzipSync(Buffer.alloc(200_000)), 'gzip', Buffer.alloc(200_000), []],
  ['a nested decompression bomb', zlib.brotliCompressSync(bomb), 'gzip, br', Buffer.alloc(200_000), [ANALYSED]],
]

describe('readBody', () => {
  it.each(rows)('%s', async (_name, wire, encodings, body, warnings) => {
    const { bytes, warnings: actual } = await read([wire], encodings)
    expect(Buffer.compare(bytes, body)).toBe(0)
    expect(actual).toEqual(warnings.map((warning) => expect.stringContaining(warning)))
  })

  it.each([
    ['gzip', zlib.gzipSync(noise)],
    ['deflate', zlib.deflateSync(noise)],
    ['deflate', zlib.deflateRawSync(noise)],
    ['br', zlib.brotliCompressSync(noise)],
  ])('a truncated %s body gives the received part', async (encoding, packed) => {
    const { bytes, warnings } = await read([packed.subarray(0, packed.length - 9)], encoding)
    expect(bytes.length).toBeGreaterThan(noise.length * 0.9)
    expect(Buffer.compare(bytes, noise.subarray(0, bytes.length))).toBe(0)
    expect(warnings).toEqual([expect.stringContaining(INCOMPLETE)])
  })

  it('joins one-byte chunks', async () => {
    const { bytes } = await read(Array.from(html, (byte) => Uint8Array.of(byte)))
    expect(Buffer.compare(bytes, html)).toBe(0)
  })

  it('accepts zstd if Node supports it, and no other encodings', async () => {
    const compress = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Uint8Array }).zstdCompressSync
    expect(ACCEPT_ENCODING).toBe(compress ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br')
    const { bytes, warnings } = await read([compress?.(html) ?? html], 'zstd')
    expect(bytes.length).toBe(compress ? html.length : 0)
    expect(warnings).toEqual(compress ? [] : [expect.stringContaining(UNSUPPORTED)])
  })

  it('returns the part received before a failure, and fails if there is none', async () => {
    const { bytes, warnings } = await readBody(broken(html), undefined, { ...MAX, signal: never })
    expect(bytes.length).toBe(html.length)
    expect(warnings).toEqual([expect.stringContaining(ENDED)])
    await expect(readBody(broken(Buffer.alloc(0)), 'gzip', { ...MAX, signal: never })).rejects.toThrow('reset')
  })

  it('rejects immediately with the reason of its signal, and destroys the stream', async () => {
    const abort = new AbortController()
    const stream = new Readable({ read() {} })
    const body = readBody(stream, undefined, { ...MAX, signal: abort.signal })
    abort.abort(new Error('left'))
    await expect(body).rejects.toThrow('left')
    expect(stream.destroyed).toBe(true)
  })

  it('never throws and never exceeds its limit, for any input', { tags: ['property'] }, async () => {
    const encoding = fc.constantFrom('gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'identity', 'compress', '', '*', 'GZIP')
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 3000 }),
      fc.uint8Array({ maxLength: 3000 }).map((plain) => zlib.gzipSync(plain)),
      fc.uint8Array({ maxLength: 3000 }).map((plain) => zlib.brotliCompressSync(zlib.deflateRawSync(plain))),
      fc.tuple(fc.nat(80), fc.nat(255)).map(([at, byte]) => gzipped.map((was, i) => (i === at ? byte : was))),
    )
    const bounds = { maxWireBytes: 2000, maxBodyBytes: 1000 }
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(encoding, { maxLength: 4 }), async (wire, encodings) => {
        const body = await read([wire], encodings.join(','), bounds)
        expect(body.bytes.length).toBeLessThanOrEqual(1000)
        if (encodings.length === 0) expect(Buffer.compare(body.bytes, wire.subarray(0, 1000))).toBe(0)
      }),
      { numRuns: countRuns(400) },
    )
  })
})
