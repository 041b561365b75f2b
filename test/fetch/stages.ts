import { Socket } from 'node:net'
import type { FetchOptions } from '../../src/fetch/fetch.ts'
import type { Need } from '../support/report-skipped.ts'
import { type Answering, PUBLIC } from './scene.ts'

/** The file of attacks is not part of the project. */
export const FOREIGN_VECTORS: Need = {
  what: '../shared/vectors/ssrf.json',
  todo: 'the file is not part of the project',
  isForeign: true,
}

/** A line of ../../../shared/vectors/ssrf.json. */
export interface Vector {
  readonly id: string
  readonly vector: string
  readonly why: string
  readonly expected: 'reject-400' | 'scan-fails-500' | 'allow'
  readonly dns?: readonly string[]
  readonly redirect?: string
  readonly scenario?: string
  readonly body?: boolean
}

/** One scan: the requested URL, and how the internet responds. */
export interface Stage {
  readonly url: string
  readonly answer: Answering
  readonly addresses?: (host: string, times: number) => readonly string[]
  readonly isTlsSilent?: boolean
  readonly options?: Partial<FetchOptions>
  /** Addresses that may be contacted. */
  readonly contacts: readonly string[]
  /** Replaces the expectation of the file, which is older than a decision. */
  readonly expected?: Vector['expected']
  /** Expected details that `expected` does not contain. */
  readonly sees?: {
    readonly reason?: string
    readonly requests?: readonly string[]
    readonly status?: number
    readonly tlsError?: string
  }
}

const SITE = 'https://pub.example.org/'
const PRIVATE = '10.0.0.1'
const page: Answering = (_, response) => response.setHeader('content-type', 'text/html').end('<title>A</title>')

/** Encodes header text as UTF-8 bytes, as sites do. */
const bytes = (text: string): string => Buffer.from(text).toString('latin1')

/** The first URL redirects; all others are pages. */
const leading =
  (location: string | readonly string[], status = 302): Answering =>
  (url, response, request) => {
    if (url !== SITE) return page(url, response, request)
    response
      .writeHead(
        status,
        [location].flat().flatMap((text) => ['location', bytes(text)]),
      )
      .end()
  }

const answering =
  (headers: Readonly<Record<string, string>>, body = '<title>A</title>'): Answering =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)

const alone = { evidence: [] }
const site = { url: SITE, contacts: [PUBLIC] }
const reject = (reason: string): Stage['sees'] => ({ reason })
const flipping = (_: string, times: number): readonly string[] => [times === 1 ? PUBLIC : PRIVATE]

/** Scenes for vectors that the file describes only in words. */
const DESCRIBED: Readonly<Record<string, readonly Stage[]>> = {
  'redirect-275': [{ ...site, answer: leading(SITE), sees: reject('redirect_loop') }],
  'redirect-279': [301, 302, 303, 307, 308].map((status) => ({
    ...site,
    answer: leading('http://127.0.0.1/', status),
    sees: reject('redirect_refused'),
  })),
  'redirect-280': [
    {
      ...site,
      answer: leading([`${SITE}x`, 'http://127.0.0.1/']),
      sees: { reason: 'redirect_refused', requests: [SITE] },
    },
  ],
  'content-286': [
    {
      ...site,
      answer: answering({}, '<meta http-equiv=refresh content="0;url=http://127.0.0.1/">'),
      sees: { status: 200 },
    },
  ],
  'content-287': [{ ...site, answer: answering({ refresh: '0;url=http://169.254.169.254/' }), sees: { status: 200 } }],
  'content-288': [
    {
      ...site,
      answer: answering({}, '<base href="http://127.0.0.1/"><script src=x.js></script>'),
      options: alone,
      sees: { requests: [SITE] },
    },
  ],
  'content-291': [{ ...site, answer: answering({ 'alt-svc': 'h2="127.0.0.1:443"' }), sees: { status: 200 } }],
  'content-292': [
    {
      ...site,
      answer: (url, response, { headers }) => {
        const location = 'http://www.example.net/next'
        if (url === SITE) response.writeHead(302, { 'set-cookie': 'a=b', location }).end()
        else response.writeHead(headers.cookie === undefined ? 200 : 500).end()
      },
      options: alone,
      sees: { status: 200, requests: [SITE, 'http://www.example.net/next'] },
    },
  ],
  'content-293': [{ ...site, answer: (_, response) => response.writeHead(302).end(), sees: { status: 302 } }],
  // The first connection redirects and closes, so the second one resolves the name again.
  'runtime-294': [
    {
      ...site,
      answer: (_, response) => response.writeHead(302, { location: '/next', connection: 'close' }).end(),
      addresses: flipping,
      sees: { reason: 'address_refused', requests: [SITE] },
    },
  ],
  'runtime-295': [
    {
      ...site,
      answer: leading('http://pub.example.org/'),
      addresses: flipping,
      sees: { reason: 'address_refused', requests: [SITE] },
    },
  ],
  'runtime-296': [
    { ...site, contacts: [], answer: page, addresses: () => [PUBLIC, '127.0.0.1'], sees: reject('address_refused') },
  ],
  'runtime-299': [
    { ...site, contacts: [], answer: page, options: { dial: () => new Socket() }, sees: reject('deadline') },
  ],
  'runtime-300': [{ ...site, answer: page, isTlsSilent: true, sees: reject('deadline') }],
  // A site with an invalid certificate is read: nothing secret is sent, and the address is checked as always.
  'runtime-301': [
    {
      ...site,
      url: 'https://pub.example.net/',
      answer: page,
      expected: 'allow',
      sees: { status: 200, tlsError: 'wrong_name' },
    },
  ],
  'runtime-304': [
    {
      ...site,
      answer: (_, { socket }) =>
        socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n'),
      sees: reject('protocol_error'),
    },
  ],
  'runtime-305': [{ ...site, answer: page, sees: { status: 200 } }],
  'runtime-306': [
    {
      ...site,
      // An empty body ends immediately, so the socket stays open.
      answer: (url, response) =>
        url === SITE
          ? response.writeHead(302, { location: '/next', 'content-length': 0 }).end()
          : response.writeHead(200).end(),
      addresses: flipping,
      options: alone,
      sees: { status: 200, requests: [SITE, `${SITE}next`] },
    },
  ],
}

/** Finds the scenes that a vector requires. */
export function findStages({ id, vector, dns, redirect, scenario, body }: Vector): readonly Stage[] {
  if (scenario !== undefined) return DESCRIBED[id] ?? []
  if (redirect !== undefined)
    return [
      {
        ...site,
        answer: leading(redirect),
        addresses: (host) => (host === 'pub.example.org' ? [PUBLIC] : (dns ?? [PUBLIC])),
      },
    ]
  if (dns !== undefined)
    return [{ url: 'https://victim.example.org/', answer: page, addresses: () => dns, contacts: dns }]
  if (body) return [{ url: JSON.parse(vector).url, answer: page, contacts: [] }]
  const [, literal = PUBLIC] = /^https?:\/\/(?:\[(.+)\]|([\d.]+))\/$/.exec(vector)?.filter(Boolean) ?? []
  return [{ url: vector, answer: page, contacts: [literal] }]
}
