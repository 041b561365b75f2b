import { finished, type Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { race } from '../async/race.ts'

/** A body as far as it was read and unpacked. */
export interface Body {
  readonly bytes: Uint8Array
  /** One sentence for each cut. */
  readonly warnings: readonly string[]
}

interface Bounds {
  /** Bytes as they come. */
  readonly maxWireBytes: number
  /** Bytes unpacked. */
  readonly maxBodyBytes: number
}

const zstd: (() => Transform) | undefined = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress
/** What this Node can unpack: zstd came with Node 22.15. */
export const ACCEPT_ENCODING = ['gzip', 'deflate', 'br', ...(zstd ? ['zstd'] : [])].join(', ')
/** Encodings on top of each other that are taken off. */
const MAX_LAYERS = 2

/**
 * Collects a body up to its bounds and unpacks it; the stream is ended. A cut or broken body gives what came, and says so.
 * @throws what the stream fails with before its first byte, or the signal's reason
 */
export async function readBody(
  stream: Readable,
  encodings: string | undefined,
  { maxWireBytes, maxBodyBytes, signal }: Bounds & { readonly signal: AbortSignal },
): Promise<Body> {
  const warnings: string[] = []
  const wire = await collect(stream, maxWireBytes, signal)
  if (wire.error && wire.bytes.length === 0) throw wire.error
  if (wire.error) warnings.push('the connection ended before the body did: what came was looked at')
  if (wire.isCut) warnings.push(`only the first ${maxWireBytes} bytes of the body were read`)
  const layers = (encodings ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  let body = wire.bytes
  if (layers.length > MAX_LAYERS && body.length > 0)
    return {
      bytes: new Uint8Array(),
      warnings: [...warnings, 'the body is packed too many times: it was not looked at'],
    }
  for (const layer of layers.reverse()) body = await unpack(body, layer, { maxBodyBytes, signal, warnings })
  if (body.length > maxBodyBytes) {
    warnings.push(`only the first ${maxBodyBytes} bytes of the body were looked at`)
    body = body.subarray(0, maxBodyBytes)
  }
  return { bytes: body, warnings }
}

interface Collected {
  readonly bytes: Uint8Array
  readonly isCut: boolean
  readonly error: Error | null | undefined
}

/** Reads a stream up to a bound, into one buffer: a chunk may be one byte, and an error may follow what is worth having. */
async function collect(stream: Readable, maxBytes: number, signal: AbortSignal): Promise<Collected> {
  let buffer: Buffer = Buffer.allocUnsafe(Math.min(maxBytes, 65_536))
  let bytes = 0
  const collected = new Promise<Collected>((resolve) => {
    const end = (isCut: boolean, error?: Error | null): void =>
      resolve({ bytes: buffer.subarray(0, bytes), isCut, error })
    finished(stream, { writable: false }, (error) => end(false, error))
    stream.on('data', (chunk: Uint8Array) => {
      const taken = chunk.subarray(0, maxBytes - bytes)
      if (bytes + taken.length > buffer.length) buffer = grow(buffer, bytes + taken.length, maxBytes)
      buffer.set(taken, bytes)
      bytes += taken.length
      if (taken.length < chunk.length) end(true)
    })
  })
  try {
    return await race(collected, signal)
  } finally {
    stream.on('error', () => {}) // It may fail once more after nobody listens.
    stream.destroy()
  }
}

function grow(buffer: Buffer, needed: number, maxBytes: number): Buffer {
  const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, buffer.length * 2)))
  grown.set(buffer)
  return grown
}

/** Bytes that come out are counted as they come: `maxOutputLength` is ignored by streams. */
async function unpack(
  packed: Uint8Array,
  encoding: string,
  { maxBodyBytes, signal, warnings }: { maxBodyBytes: number; signal: AbortSignal; warnings: string[] },
): Promise<Uint8Array> {
  if (packed.length === 0) return packed
  const unpacker = unpackerOf(encoding, packed)
  if (unpacker === null) {
    warnings.push('the body is packed in a way that nobody asked for: it was not looked at')
    return new Uint8Array()
  }
  unpacker.write(packed) // All that is there comes out of this; the end tells only whether something is missing.
  unpacker.end()
  const { bytes, error } = await collect(unpacker, maxBodyBytes + 1, signal)
  if (error) warnings.push('the body could not be unpacked to its end')
  return bytes
}

function unpackerOf(encoding: string, packed: Uint8Array): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip()
    case 'deflate': // With or without zlib's header: servers send both.
      return (packed[0] & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
      return zstd?.() ?? null
    default:
      return null
  }
}
