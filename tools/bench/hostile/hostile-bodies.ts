import zlib from 'node:zlib'
import type { ScanCause } from '../../../src/errors.ts'
import type { Row } from './hostile-servers.ts'
import { answer, type Bytes, drip, flood, head, type Play, say, sayAndEnd, sayAndReset } from './raw-server.ts'

const fails = (reason: ScanCause): Row[2] => ({ reason })
const warns = (warning: RegExp): Row[2] => ({ warning })
const WIRE = warns(/only the first 2097152 bytes of the body were read/)
const LOOKED = warns(/only the first 4194304 bytes of the decompressed body were analysed/)
const UNPACKED = warns(/could not be decompressed completely/)
const ENDED = warns(/the connection closed before the end of the body/)
const NOT_HTML = warns(/the response is not HTML/)

const html = 'content-type: text/html'
const packed = (body: Bytes, encoding: string): Play => answer(body, `${html}\r\ncontent-encoding: ${encoding}`)
const page = `<!doctype html><title>Tide tables</title>${'<p>High water at noon.'.repeat(500)}`
const gzipped = zlib.gzipSync(page)
const chunked = `${html}\r\ntransfer-encoding: chunked`
const typed = (charset: string): string => `${html}; charset=${charset}`
const zstdSync = (zlib as { zstdCompressSync?: (text: string) => Uint8Array }).zstdCompressSync
const bomb = zlib.gzipSync(Buffer.alloc(300 * 2 ** 20))
const attributes = (): string => `<p ${Array.from({ length: 300_000 }, (_, i) => i.toString(36)).join(' ')}>`

/** A comment of so many bytes, each in a chunk of its own. */
const oneByteChunks = (count: number): string => `4\r\n<!--\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`

/** Bodies that are made to break who reads them. */
export const bodies: readonly Row[] = [
  ['drips its body', drip(head(html), 'x'), fails('deadline')],
  ['begins its body and waits', say(head(`${html}\r\ncontent-length: 99`), '<p>'), fails('deadline')],
  ['never ends its body', flood(head(html), 'x'.repeat(65_536)), WIRE],
  ['never ends its chunks', flood(head(chunked), `a\r\n0123456789\r\n`.repeat(500)), WIRE],
  ['never ends a chunk extension', flood(head(chunked), 'x'.repeat(9000).replace('x', '5;')), fails('deadline')],
  ['never ends its trailers', flood(`${head(chunked)}3\r\n<p>\r\n0\r\n`, `x: ${'x'.repeat(999)}\r\n`), ENDED],
  ['packs 300 MiB in gzip', packed(bomb, 'gzip'), LOOKED],
  ['packs 300 MiB in gzip in br', packed(zlib.brotliCompressSync(bomb), 'gzip, br'), LOOKED],
  ['packs in gzip', packed(gzipped, 'gzip'), 'fine'],
  ['packs in deflate', packed(zlib.deflateSync(page), 'deflate'), 'fine'],
  ['packs in raw deflate', packed(zlib.deflateRawSync(page), 'deflate'), 'fine'],
  ['packs in br', packed(zlib.brotliCompressSync(page), 'br'), 'fine'],
  [
    'packs in zstd',
    packed(zstdSync?.(page) ?? page, 'zstd'),
    zstdSync ? 'fine' : warns(/unsupported content encoding/),
  ],
  ['packs in gzip and stops', packed(gzipped.subarray(0, -20), 'gzip'), UNPACKED],
  ['says gzip and means nothing', packed(page, 'gzip'), UNPACKED],
  ['packs in what nobody knows', packed(page, 'tide'), warns(/unsupported content encoding/)],
  ['packs five times', packed(gzipped, 'gzip, gzip, gzip, gzip, gzip'), warns(/more than 2 content encodings/)],
  ['nests 100,000 tags', answer('<b>'.repeat(100_000)), warns(/deeper than 512/)],
  ['comments 500 kB in one-byte chunks', say(head(chunked), oneByteChunks(500_000)), 'fine'],
  ['has 300,000 attributes', answer(attributes()), warns(/more than 256/)],
  ['is UTF-16 and says UTF-8', answer(Buffer.from(`\ufeff${page}`, 'utf16le'), typed('utf-8')), 'fine'],
  ['names a charset that is none', answer(page, typed('tide-8859')), 'fine'],
  ['names UTF-7', answer(`+ADw-script+AD4-${page}`, typed('utf-7')), 'fine'],
  ['has bytes that no charset has', answer(Buffer.alloc(9999, 0xff), typed('utf-8')), 'fine'],
  ['resets in its body', sayAndReset(`${head(`${html}\r\ncontent-length: 9999`)}${page.slice(0, 99)}`), ENDED],
  ['resets before its body', sayAndReset(head(`${html}\r\ncontent-length: 9999`)), fails('connection_reset')],
  ['promises more than it sends', sayAndEnd(head(`${html}\r\ncontent-length: 99999`), page), ENDED],
  ['closes before its last chunk', sayAndEnd(head(chunked), '3\r\n<p>\r\n'), ENDED],
  ['sends more than it promised', sayAndEnd(head(`${html}\r\ncontent-length: 3`), page), 'fine'],
  ['has a chunk size that is none', sayAndEnd(head(chunked), 'tide\r\n<p>\r\n'), fails('protocol_error')],
  ['has a bad second chunk', sayAndEnd(head(chunked), '3\r\n<p>\r\n-3\r\n<p>\r\n'), ENDED],
  ['has a chunk of 2^70 bytes', sayAndEnd(head(chunked), 'ffffffffffffffffff\r\n<p>'), fails('protocol_error')],
  ['says nothing of its type', sayAndEnd(head(''), page), 'fine'],
  ['says nothing of a text', sayAndEnd(head(''), 'high water at noon'), NOT_HTML],
  ['sends a PDF', answer('%PDF-1.7', 'content-type: application/pdf'), NOT_HTML],
  ['sends a film without end', flood(head('content-type: video/mp4'), 'x'.repeat(9999)), NOT_HTML],
  ['sends nothing', answer(''), 'fine'],
  ['sends nothing of no type', answer('', 'server: tide'), 'fine'],
]
