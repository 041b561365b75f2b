import type { ScanCause } from '../../../src/errors.ts'
import { expired, good, otherName, selfSigned } from './certificates.ts'
import { bodies } from './hostile-bodies.ts'
import { redirects } from './hostile-redirects.ts'
import {
  answer,
  drip,
  flood,
  head,
  type Opened,
  openListener,
  openNothing,
  openSite,
  openTlsSite,
  type Plays,
  say,
  sayAndEnd,
  sayAndReset,
} from './raw-server.ts'

/** A site that means ill, and what a scan of it comes to. */
export interface HostileServer {
  readonly name: string
  readonly open: () => Promise<Opened>
  /** A reason to fail, a warning beside the result, or a result like any other. */
  readonly expected: Expected
}
export type Expected = { readonly reason: ScanCause } | { readonly warning: RegExp } | 'fine'
export type Row = readonly [name: string, plays: Plays, expected: Expected]

export const PAGE = '<!doctype html><title>Tide tables</title><p>High water at noon.'
const fails = (reason: ScanCause): Expected => ({ reason })
const FEW = { warning: /only the first 200 of \d+ headers were looked at/ }
const many = (count: number, field: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => field(i)).join('\r\n')
const html = 'content-type: text/html'

const connections: readonly (readonly [name: string, open: () => Promise<Opened>, expected: Expected])[] = [
  ['accepts and never answers', () => openListener(() => {}), fails('deadline')],
  ['never shakes hands', () => openListener(() => {}, 'https'), fails('deadline')],
  ['closes at once', () => openListener((socket) => socket.end()), fails('connection_reset')],
  ['resets at once', () => openListener((socket) => socket.resetAndDestroy()), fails('connection_reset')],
  ['talks before it is asked', () => openListener((socket) => socket.write('220 mail\r\n')), fails('protocol_error')],
  ['closes instead of shaking hands', () => openListener((socket) => socket.end(), 'https'), fails('connection_reset')],
  [
    'answers TLS in plain HTTP',
    () => openListener((socket) => answer(PAGE)(socket, '/'), 'https'),
    fails('protocol_error'),
  ],
  ['has nobody listening', openNothing, fails('connection_refused')],
  ['has a good certificate', () => openTlsSite(answer(PAGE), good), 'fine'],
  ['has a certificate of another name', () => openTlsSite(answer(PAGE), otherName), fails('tls_invalid')],
  ['has a certificate that has expired', () => openTlsSite(answer(PAGE), expired), fails('tls_invalid')],
  ['has a certificate that signs itself', () => openTlsSite(answer(PAGE), selfSigned), fails('tls_invalid')],
]

const heads: readonly Row[] = [
  ['drips its headers', drip('HTTP/1.1 200 OK\r\nx: ', 'x'), fails('deadline')],
  ['closes without an answer', sayAndEnd(), fails('connection_reset')],
  ['resets without an answer', sayAndReset(''), fails('connection_reset')],
  ['closes in its headers', sayAndEnd('HTTP/1.1 200 OK\r\ncontent-type: te'), fails('connection_reset')],
  ['answers garbage', sayAndEnd('\x16\x03\x01\0\0garbage\r\n\r\n'), fails('protocol_error')],
  ['answers as HTTP/0.9 did', sayAndEnd(PAGE), fails('protocol_error')],
  ['answers in HTTP/2', sayAndEnd(Buffer.from('000000040000000000', 'hex')), fails('protocol_error')],
  ['has a NUL in a header', say(head(`${html}\r\nx: a\0b`), PAGE), fails('protocol_error')],
  ['has a header of 17 KiB', answer(PAGE, `${html}\r\nx: ${'x'.repeat(17 * 1024)}`), fails('header_overflow')],
  [
    'has 2,000 headers of 10 bytes',
    answer(
      PAGE,
      many(2000, (i) => `x${1e3 + i}: 12345`),
    ),
    fails('header_overflow'),
  ],
  ['never ends its headers', flood('HTTP/1.1 200 OK\r\n', `x: ${'x'.repeat(9000)}\r\n`), fails('header_overflow')],
  ['never ends its reason', flood('HTTP/1.1 200 ', 'x'.repeat(9000)), fails('deadline')],
  ['has 250 headers', answer(PAGE, `${html}\r\n${many(250, (i) => `x${i}: a`)}`), FEW],
  ['has 5,000 headers of 2 bytes', answer(PAGE, `${html}\r\n${many(5000, () => 'x:y')}`), FEW],
  [
    'has a length and chunks',
    say(head(`${html}\r\ntransfer-encoding: chunked\r\ncontent-length: 5`), '5\r\nhello\r\n0\r\n\r\n'),
    fails('protocol_error'),
  ],
  [
    'has two lengths',
    say(head(`${html}\r\ncontent-length: 5\r\ncontent-length: 6`), 'hello!'),
    fails('protocol_error'),
  ],
  [
    'switches protocols',
    say(head('connection: upgrade\r\nupgrade: tide', '101 Switching Protocols')),
    fails('protocol_error'),
  ],
  ['says to go on for ever', flood('', head('', '100 Continue')), fails('protocol_error')],
  ['gives hints for ever', flood('', head('link: </a>; rel=preload', '103 Early Hints')), fails('deadline')],
  [
    'gives a hint first',
    say(head('link: </a>', '103 Early Hints'), head(`${html}\r\ncontent-length: 3`), '<p>'),
    'fine',
  ],
  ['answers 204', say(head('', '204 No Content')), 'fine'],
  ['answers 304', say(head('', '304 Not Modified')), 'fine'],
  ['answers 404', answer(PAGE, html, '404 Not Found'), 'fine'],
  ['answers 500', answer(PAGE, html, '500 Oops'), 'fine'],
  ['answers 999', answer(PAGE, html, '999 Oops'), 'fine'],
]

const icon = 'content-type: image/x-icon'
const text = 'content-type: text/plain'
const beside: readonly Row[] = [
  ['never answers for robots.txt', { '/': answer(PAGE), '/robots.txt': say() }, 'fine'],
  ['never ends robots.txt', { '/': answer(PAGE), '/robots.txt': flood(head(text), 'a'.repeat(999)) }, 'fine'],
  ['drips robots.txt', { '/': answer(PAGE), '/robots.txt': drip(head(text), 'a') }, 'fine'],
  ['has 200 kB of robots.txt', { '/': answer(PAGE), '/robots.txt': answer('a'.repeat(200_000), text) }, 'fine'],
  ['never answers for its icon', { '/': answer(PAGE), '/favicon.ico': say() }, 'fine'],
  ['has a page for an icon', { '/': answer(PAGE), '/favicon.ico': answer(PAGE) }, 'fine'],
  ['has an icon that never ends', { '/': answer(PAGE), '/favicon.ico': flood(head(icon), 'a'.repeat(999)) }, 'fine'],
  ['answers garbage for its icon', { '/': answer(PAGE), '/favicon.ico': sayAndEnd('garbage\r\n\r\n') }, 'fine'],
  ['resets for its icon', { '/': answer(PAGE), '/favicon.ico': sayAndReset('') }, 'fine'],
  [
    'sends its icon to an address inside',
    { '/': answer(PAGE), '/favicon.ico': answer('', 'location: http://10.0.0.1/', '302 Found') },
    'fine',
  ],
  [
    'sends its icon round',
    { '/': answer(PAGE), '/favicon.ico': answer('', 'location: /favicon.ico', '302 F') },
    'fine',
  ],
]

const site = ([name, plays, expected]: Row): HostileServer => ({ name, expected, open: () => openSite(plays) })

/** Every bound and every way to fail, as a server on 127.0.0.1. */
export const HOSTILE: readonly HostileServer[] = [
  ...connections.map(([name, open, expected]) => ({ name, open, expected })),
  ...[...heads, ...bodies, ...redirects, ...beside].map(site),
]
