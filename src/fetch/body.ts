import { finished, type Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { raceSignal } from '../async/race-signal.ts'

/** The part of a body that was read and decompressed. */
export interface Body {
  readonly bytes: Uint8Array
  /** One sentence per limit or error that cut the body. */
  readonly warnings: readonly string[]
}

interface Bounds {
  /** Bytes as transferred, before decompression. */
  readonly maxWireBytes: number
  /** Bytes after decompression. */
  readonly maxBodyBytes: number
}

const zstd: (() => Transform) | undefined = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress
/** Encodings that this version of Node can decompress: zstd was added in Node 22.15. */
export const ACCEPT_ENCODING = ['gzip', 'deflate', 'br', ...(zstd ? ['zstd'] : [])].join(', ')
/** Maximum number of nested content encodings that are decompressed. */
const MAX_ENCODINGS = 2

/**
 * Reads a body up to its limits, decompresses it and destroys the stream. For a cut or broken body, returns the part that
 * was received, with a warning.
 * @throws the error of a stream that fails before its first byte, or the signal's reason
 */
export async function readBody(
  stream: Readable,
  encodings: string | undefined,
  { maxWireBytes, maxBodyBytes, signal }: Bounds & { readonly signal: AbortSignal },
): Promise<Body> {
  const warnings: string[] = []
  const wire = await collect(stream, maxWireBytes, signal)
  if (wire.error && wire.bytes.length === 0) throw wire.error
  if (wire.error) warnings.push('the connection closed before the end of the body; only the received part was analysed')
  if (wire.isCut) warnings.push(`only the first ${maxWireBytes} bytes of the body were read`)
  const layers = (encodings ?? '')
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => layer !== '' && layer !== 'identity')
  let body = wire.bytes
  if (layers.length > MAX_ENCODINGS && body.length > 0)
    return {
      bytes: new Uint8Array(),
      warnings: [...warnings, `the body has more than ${MAX_ENCODINGS} content encodings and was not analysed`],
    }
  for (const layer of layers.reverse()) body = await decompress(body, layer, { maxBodyBytes, signal, warnings })
  if (body.length > maxBodyBytes) {
    warnings.push(`only the first ${maxBodyBytes} bytes of the decompressed body were analysed`)
    body = body.subarray(0, maxBodyBytes)
  }
  return { bytes: body, warnings }
}

interface Collected {
  readonly bytes: Uint8Array
  readonly isCut: boolean
  readonly error: Error | null | undefined
}

/** Reads a stream up to a limit into one buffer: chunks can be one byte long, and an error can follow usable data. */
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
    return await raceSignal(collected, signal)
  } finally {
    stream.on('error', () => {}) // A destroyed stream may emit another error.
    stream.destroy()
  }
}

function grow(buffer: Buffer, needed: number, maxBytes: number): Buffer {
  const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, buffer.length * 2)))
  grown.set(buffer)
  return grown
}

/** Counts the output while it is produced, because zlib streams ignore `maxOutputLength`. */
async function decompress(
  compressed: Uint8Array,
  encoding: string,
  { maxBodyBytes, signal, warnings }: { maxBodyBytes: number; signal: AbortSignal; warnings: string[] },
): Promise<Uint8Array> {
  if (compressed.length === 0) return compressed
  const decompressor = createDecompressor(encoding, compressed)
  if (decompressor === null) {
    warnings.push('the body has an unsupported content encoding and was not analysed')
    return new Uint8Array()
  }
  decompressor.write(compressed) // This produces all the output; `end` only reports whether data is missing.
  decompressor.end()
  const { bytes, error } = await collect(decompressor, maxBodyBytes + 1, signal)
  if (error) warnings.push('the body could not be decompressed completely')
  return bytes
}

function createDecompressor(encoding: string, compressed: Uint8Array): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip()
    case 'deflate': // Servers send this encoding with and without the zlib header.
      return (compressed[0] & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
      return zstd?.() ?? null
    default:
      return null
  }
}
