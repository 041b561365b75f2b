import type { ScanCause } from '../../../src/errors.ts'
import { expired, good, incomplete, otherName, selfSigned, unknownIssuer, unknownRoot } from './certificates.ts'
import type { Expected, HostileRow } from './expected.ts'
import { bodies } from './hostile-bodies.ts'
import { redirects } from './hostile-redirects.ts'
import {
  answer,
  drip,
  flood,
  head,
  type Opened,
  openClosedPort,
  openListener,
  openSite,
  openTlsSite,
  say,
  sayAndEnd,
  sayAndReset,
} from './raw-server.ts'

/** A hostile site, and the expected outcome of its scan. */
export interface HostileServer {
  readonly name: string
  readonly open: () => Promise<Opened>
  /** The reason of a failure, all warnings of the result, or a result without warnings. */
  readonly expected: Expected
}
export const PAGE = '<!doctype html><title>Tide tables</title><p>High water at noon.'
const fails = (reason: ScanCause): Expected => ({ reason })
const warns = (warning: RegExp): Expected => ({ warnings: [warning] })
const FEW = { warnings: [/only the first 200 of \d+ headers/] }
const many = (count: number, field: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => field(i)).join('\r\n')
const html = 'content-type: text/html'

const connections: readonly (readonly [name: string, open: () => Promise<Opened>, expected: Expected])[] = [
  ['accepts and never responds', () => openListener(() => {}), fails('deadline')],
  ['never answers the TLS handshake', () => openListener(() => {}, 'https'), fails('deadline')],
  ['closes immediately', () => openListener((socket) => socket.end()), fails('connection_reset')],
  ['resets immediately', () => openListener((socket) => socket.resetAndDestroy()), fails('connection_reset')],
  [
    'sends data before the request',
    () => openListener((socket) => socket.write('220 mail\r\n')),
    fails('protocol_error'),
  ],
  ['closes during the TLS handshake', () => openListener((socket) => socket.end(), 'https'), fails('connection_reset')],
  [
    'responds to TLS with plain HTTP',
    () => openListener((socket) => answer(PAGE)(socket, '/'), 'https'),
    fails('protocol_error'),
  ],
  ['is not listening', openClosedPort, fails('connection_refused')],
  ['has a valid certificate', () => openTlsSite(answer(PAGE), good), 'fine'],
  ['has a certificate for another name', () => openTlsSite(answer(PAGE), otherName), warns(/is for another name/)],
  ['has an expired certificate', () => openTlsSite(answer(PAGE), expired), warns(/has expired/)],
  ['has a self-signed certificate', () => openTlsSite(answer(PAGE), selfSigned), warns(/is signed by itself/)],
  ['has a certificate without its chain', () => openTlsSite(answer(PAGE), incomplete), warns(/came without that of/)],
  ['has a certificate of a stranger', () => openTlsSite(answer(PAGE), unknownIssuer), warns(/is of an unknown issuer/)],
  ['has a chain to a root of its own', () => openTlsSite(answer(PAGE), unknownRoot), warns(/is of an unknown issuer/)],
]

const heads: readonly HostileRow[] = [
  ['sends its headers slowly', drip('HTTP/1.1 200 OK\r\nx: ', 'x'), fails('deadline')],
  ['closes without a response', sayAndEnd(), fails('connection_reset')],
  ['resets without a response', sayAndReset(''), fails('connection_reset')],
  ['closes in its headers', sayAndEnd('HTTP/1.1 200 OK\r\ncontent-type: te'), fails('connection_reset')],
  ['responds with garbage', sayAndEnd('\x16\x03\x01\0\0garbage\r\n\r\n'), fails('protocol_error')],
  ['responds with HTTP/0.9', sayAndEnd(PAGE), fails('protocol_error')],
  ['responds with HTTP/2', sayAndEnd(Buffer.from('000000040000000000', 'hex')), fails('protocol_error')],
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
  ['never ends its reason phrase', flood('HTTP/1.1 200 ', 'x'.repeat(9000)), fails('deadline')],
  ['has 250 headers', answer(PAGE, `${html}\r\n${many(250, (i) => `x${i}: a`)}`), FEW],
  ['has 5,000 headers of 2 bytes', answer(PAGE, `${html}\r\n${many(5000, () => 'x:y')}`), FEW],
  [
    'has a content length and chunks',
    say(head(`${html}\r\ntransfer-encoding: chunked\r\ncontent-length: 5`), '5\r\nhello\r\n0\r\n\r\n'),
    fails('protocol_error'),
  ],
  [
    'has two content lengths',
    say(head(`${html}\r\ncontent-length: 5\r\ncontent-length: 6`), 'hello!'),
    fails('protocol_error'),
  ],
  [
    'switches protocols',
    say(head('connection: upgrade\r\nupgrade: tide', '101 Switching Protocols')),
    fails('protocol_error'),
  ],
  ['sends 100 Continue endlessly', flood('', head('', '100 Continue')), fails('protocol_error')],
  ['sends early hints endlessly', flood('', head('link: </a>; rel=preload', '103 Early Hints')), fails('deadline')],
  [
    'sends early hints first',
    say(head('link: </a>', '103 Early Hints'), head(`${html}\r\ncontent-length: 3`), '<p>'),
    'fine',
  ],
  ['responds with 204', say(head('', '204 No Content')), 'fine'],
  ['responds with 304', say(head('', '304 Not Modified')), 'fine'],
  ['responds with 404', answer(PAGE, html, '404 Not Found'), 'fine'],
  ['responds with 500', answer(PAGE, html, '500 Oops'), 'fine'],
  ['responds with 999', answer(PAGE, html, '999 Oops'), 'fine'],
]

const icon = 'content-type: image/x-icon'
const text = 'content-type: text/plain'
const sideEvidence: readonly HostileRow[] = [
  ['never responds for robots.txt', { '/': answer(PAGE), '/robots.txt': say() }, 'fine'],
  ['never ends robots.txt', { '/': answer(PAGE), '/robots.txt': flood(head(text), 'a'.repeat(999)) }, 'fine'],
  ['sends robots.txt slowly', { '/': answer(PAGE), '/robots.txt': drip(head(text), 'a') }, 'fine'],
  ['has a robots.txt of 200 kB', { '/': answer(PAGE), '/robots.txt': answer('a'.repeat(200_000), text) }, 'fine'],
  ['never responds for its favicon', { '/': answer(PAGE), '/favicon.ico': say() }, 'fine'],
  ['has a page instead of its favicon', { '/': answer(PAGE), '/favicon.ico': answer(PAGE) }, 'fine'],
  ['has an endless favicon', { '/': answer(PAGE), '/favicon.ico': flood(head(icon), 'a'.repeat(999)) }, 'fine'],
  [
    'responds with garbage for its favicon',
    { '/': answer(PAGE), '/favicon.ico': sayAndEnd('garbage\r\n\r\n') },
    'fine',
  ],
  ['resets for its favicon', { '/': answer(PAGE), '/favicon.ico': sayAndReset('') }, 'fine'],
  [
    'redirects its favicon to a private address',
    { '/': answer(PAGE), '/favicon.ico': answer('', 'location: http://10.0.0.1/', '302 Found') },
    'fine',
  ],
  [
    'redirects its favicon in a circle',
    { '/': answer(PAGE), '/favicon.ico': answer('', 'location: /favicon.ico', '302 F') },
    'fine',
  ],
]

const site = ([name, plays, expected]: HostileRow): HostileServer => ({ name, expected, open: () => openSite(plays) })

/** Servers whose page is harmless, but not their robots.txt or favicon. */
export const HOSTILE_EVIDENCE: readonly HostileServer[] = sideEvidence.map(site)

/** A server on 127.0.0.1 for each limit and each kind of failure. */
export const HOSTILE: readonly HostileServer[] = [
  ...connections.map(([name, open, expected]) => ({ name, open, expected })),
  ...heads.map(site),
  ...bodies.map(site),
  ...redirects.map(site),
  ...HOSTILE_EVIDENCE,
]
