import zlib from 'node:zlib'
import type { ScanCause } from '../../../src/errors.ts'
import type { HostileRow } from './expected.ts'
import { answer, type Bytes, drip, flood, head, type Play, say, sayAndEnd, sayAndReset } from './raw-server.ts'

const fails = (reason: ScanCause): HostileRow[2] => ({ reason })
const warns = (...warnings: readonly RegExp[]): HostileRow[2] => ({ warnings })
const LONG_TEXT = [/1048576 of \d+ characters of visible text/, /words were counted in the first 98304 of 1048576/]
const WIRE = warns(/only the first 2097152 bytes of the body were read/, ...LONG_TEXT)
const ANALYSED = warns(/only the first 4194304 bytes of the decompressed body were analysed/, ...LONG_TEXT)
const INCOMPLETE = warns(/could not be decompressed completely/)
const ENDED = warns(/the connection closed before the end of the body/)
const NOT_HTML = warns(/the response is not HTML/)

const html = 'content-type: text/html'
const packed = (body: Bytes, encoding: string): Play => answer(body, `${html}\r\ncontent-encoding: ${encoding}`)
const page = `<!doctype html><title>Tide tables</title>${'<p>High water at noon.'.repeat(500)}`
const gzipped = zlib.gzipSync(page)
const chunked = `${html}\r\ntransfer-encoding: chunked`
const typed = (charset: string): string => `${html}; charset=${charset}`
const zstdSync = (zlib as { zstdCompressSync?: (text: string) => Uint8Array }).zstdCompressSync
// This level takes a quarter of the time of the default.
const bomb = zlib.gzipSync(Buffer.alloc(300 * 2 ** 20), { level: 3 })
const attributes = (): string => `<p ${Array.from({ length: 300_000 }, (_, i) => i.toString(36)).join(' ')}>`

/** A comment with each byte in a separate chunk. */
const oneByteChunks = (count: number): string => `4\r\n<!--\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`

/** Bodies that are designed to break a reader. */
export const bodies: readonly HostileRow[] = [
  ['sends its body slowly', drip(head(html), 'x'), fails('deadline')],
  ['refuses slowly', drip(head(html, '403 Forbidden'), 'x'), fails('deadline')],
  ['starts its body and stops', say(head(`${html}\r\ncontent-length: 99`), '<p>'), fails('deadline')],
  ['never ends its body', flood(head(html), 'x'.repeat(65_536)), WIRE],
  ['never ends a refusal', flood(head(html, '403 Forbidden'), 'x'.repeat(65_536)), WIRE],
  [
    'never ends a demand for a pause',
    flood(head(`${html}\r\nretry-after: 3600`, '429 Slow'), 'x'.repeat(65_536)),
    WIRE,
  ],
  ['never ends its chunks', flood(head(chunked), `a\r\n0123456789\r\n`.repeat(500)), WIRE],
  ['never ends a chunk extension', flood(head(chunked), 'x'.repeat(9000).replace('x', '5;')), fails('deadline')],
  ['never ends its trailers', flood(`${head(chunked)}3\r\n<p>\r\n0\r\n`, `x: ${'x'.repeat(999)}\r\n`), ENDED],
  ['compresses 300 MiB with gzip', packed(bomb, 'gzip'), ANALYSED],
  ['compresses 300 MiB with gzip and br', packed(zlib.brotliCompressSync(bomb), 'gzip, br'), ANALYSED],
  ['compresses with gzip', packed(gzipped, 'gzip'), 'fine'],
  ['compresses with deflate', packed(zlib.deflateSync(page), 'deflate'), 'fine'],
  ['compresses with raw deflate', packed(zlib.deflateRawSync(page), 'deflate'), 'fine'],
  ['compresses with br', packed(zlib.brotliCompressSync(page), 'br'), 'fine'],
  [
    'compresses with zstd',
    packed(zstdSync?.(page) ?? page, 'zstd'),
    zstdSync ? 'fine' : warns(/unsupported content encoding/),
  ],
  ['truncates its gzip data', packed(gzipped.subarray(0, -20), 'gzip'), INCOMPLETE],
  ['declares gzip for an uncompressed body', packed(page, 'gzip'), INCOMPLETE],
  ['declares an unknown encoding', packed(page, 'tide'), warns(/unsupported content encoding/)],
  ['declares five encodings', packed(gzipped, 'gzip, gzip, gzip, gzip, gzip'), warns(/more than 2 content encodings/)],
  ['nests 100,000 tags', answer('<b>'.repeat(100_000)), warns(/deeper than 512/)],
  ['sends a 500 kB comment in one-byte chunks', say(head(chunked), oneByteChunks(500_000)), 'fine'],
  ['has 300,000 attributes', answer(attributes()), warns(/attributes were .* 256\b/, /more than 150000 tags/)],
  ['declares UTF-8 for UTF-16', answer(Buffer.from(`\ufeff${page}`, 'utf16le'), typed('utf-8')), 'fine'],
  ['declares an unknown charset', answer(page, typed('tide-8859')), 'fine'],
  ['declares UTF-7', answer(`+ADw-script+AD4-${page}`, typed('utf-7')), 'fine'],
  ['has bytes that are invalid in every charset', answer(Buffer.alloc(9999, 0xff), typed('utf-8')), 'fine'],
  ['resets in its body', sayAndReset(`${head(`${html}\r\ncontent-length: 9999`)}${page.slice(0, 99)}`), ENDED],
  ['resets before its body', sayAndReset(head(`${html}\r\ncontent-length: 9999`)), fails('connection_reset')],
  ['sends less than its content length', sayAndEnd(head(`${html}\r\ncontent-length: 99999`), page), ENDED],
  ['closes before its last chunk', sayAndEnd(head(chunked), '3\r\n<p>\r\n'), ENDED],
  ['sends more than its content length', sayAndEnd(head(`${html}\r\ncontent-length: 3`), page), 'fine'],
  ['has an invalid chunk size', sayAndEnd(head(chunked), 'tide\r\n<p>\r\n'), fails('protocol_error')],
  ['has a bad second chunk', sayAndEnd(head(chunked), '3\r\n<p>\r\n-3\r\n<p>\r\n'), ENDED],
  ['has a chunk of 2^70 bytes', sayAndEnd(head(chunked), 'ffffffffffffffffff\r\n<p>'), fails('protocol_error')],
  ['has no content type', sayAndEnd(head(''), page), 'fine'],
  ['has no content type for a plain text', sayAndEnd(head(''), 'high water at noon'), NOT_HTML],
  ['sends a PDF', answer('%PDF-1.7', 'content-type: application/pdf'), NOT_HTML],
  ['sends an endless video', flood(head('content-type: video/mp4'), 'x'.repeat(9999)), NOT_HTML],
  ['sends an empty body', answer(''), 'fine'],
  ['sends an empty body without a content type', answer('', 'server: tide'), 'fine'],
]
