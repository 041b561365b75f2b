import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ScanError } from '../../src/errors.ts'
import { openDial } from '../../src/fetch/connector.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { listTlsWarnings, TLS_ERRORS, type TlsError } from '../../src/fetch/tls-error.ts'
import {
  expired,
  good,
  incomplete,
  otherName,
  selfSigned,
  unknownIssuer,
  unknownRoot,
} from '../../tools/bench/hostile/certificates.ts'
import {
  answer,
  type Opened,
  openListener,
  openTlsSite,
  type Play,
  type Plays,
} from '../../tools/bench/hostile/raw-server.ts'
import { fetchText } from './fetch-text.ts'
import { scan } from './hostile-scan.ts'
import { createResolver, PUBLIC } from './scene.ts'

const LATE_MS = 600_000
const late = { deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: LATE_MS, bodiesAfterPageMs: LATE_MS }
const PAGE = answer('<!doctype html><title>Tide tables</title><p>High water at noon.')
const to = (location: string): Play => answer('', `location: ${location}`, '302 Found')

async function openTls(plays: Plays, cert: string): Promise<Opened> {
  const site = await openTlsSite(plays, cert)
  onTestFinished(site.close)
  return site
}

describe('a site with a certificate', () => {
  test.each<[name: string, cert: string, error: TlsError | null]>([
    ['of a known authority', good, null],
    ['that has expired', expired, 'expired'],
    ['for another name', otherName, 'wrong_name'],
    ['that is signed by itself', selfSigned, 'self_signed'],
    ['without its chain', incomplete, 'incomplete_chain'],
    ['of an unknown issuer', unknownIssuer, 'unknown_issuer'],
    ['of an unknown root', unknownRoot, 'unknown_issuer'],
  ])('%s is read with one connection', async (_, cert, error) => {
    const opened = await openTls(PAGE, cert)
    const dials: number[] = []
    const dial = opened.dial as NonNullable<Opened['dial']>
    const counted: typeof dial = (options, callback) => {
      dials.push(Number(options.port))
      return dial(options, callback)
    }
    const { site, left } = await scan({ ...opened, dial: counted }, late, { evidence: ['tls'] })
    const { tls, tlsError, unseen, warnings, html } = site as NonNullable<typeof site>
    expect({ tlsError, dials: dials.length, left }).toEqual({ tlsError: error, dials: 1, left: [] })
    expect(Buffer.from(html).toString()).toContain('High water')
    expect(tls === null).toBe(error !== null)
    expect(unseen).not.toContain('tls')
    expect(warnings).toEqual(listTlsWarnings(error, new Set()))
  })

  test('of an authority that only the tests know is unknown to the connector of scans', async () => {
    const opened = await openTls(PAGE, good)
    const { site } = await scan({ ...opened, dial: openDial() }, late, { evidence: ['tls'] })
    expect({ tls: site?.tls, error: site?.tlsError }).toEqual({ tls: null, error: 'incomplete_chain' })
  })
})

test('every error has a warning for the page, and one for redirects', () => {
  for (const error of Object.keys(TLS_ERRORS) as TlsError[])
    expect(listTlsWarnings(error, new Set([error]))).toEqual([
      `the TLS certificate of a host that redirects to the page ${TLS_ERRORS[error]}; it was followed all the same`,
      `the TLS certificate of the site ${TLS_ERRORS[error]}; the site was read all the same, without it as evidence`,
    ])
})

test('a redirect of a host with an invalid certificate is followed, with a warning', async () => {
  const next = await openTls(PAGE, good)
  const first = await openTls(to(next.url), expired)
  const { site } = await scan(first, late, { evidence: ['tls'] })
  expect({ url: site?.url, error: site?.tlsError, issuer: site?.tls?.issuer }).toEqual({
    url: next.url,
    error: null,
    issuer: 'Larkfield Test Authority',
  })
  expect(site?.warnings).toEqual(listTlsWarnings(null, new Set(['expired'])))
})

test('files on other hosts are read only with a valid certificate', async () => {
  const requests: string[] = []
  const file =
    (name: string): Play =>
    (socket, path) => {
      requests.push(`${name} ${path}`)
      answer('a()', 'content-type: text/javascript')(socket, path)
    }
  const [bad, fine] = [await openTls(file('bad'), expired), await openTls(file('fine'), good)]
  const script = (host: string): string => `<script src=https://${host}.example.org/assets/${host}.js></script>`
  const page = answer(`<title>A</title>${['bad', 'fine', 'own'].map(script).join('')}`)
  const own = await openTls(
    { '/': page, '/assets/own.js': file('own'), '/robots.txt': to('https://bad.example.org/robots.txt') },
    otherName,
  )
  const sites: Readonly<Record<string, Opened>> = { bad, fine, own }
  const dial = own.dial as NonNullable<Opened['dial']>
  const route: typeof dial = (options, callback) => {
    const name = `${options.servername}`.split('.')[0]
    // The certificates are for 127.0.0.1, so it is the name that is verified.
    const socket = dial(
      { ...options, hostname: '127.0.0.1', port: new URL(sites[name].url).port, servername: 'a.harbourline.example' },
      callback,
    )
    if (socket) Object.defineProperty(socket, 'remoteAddress', { value: options.hostname })
    return socket
  }
  const options = { resolver: createResolver(() => [PUBLIC]), policy: { ...DEFAULT_POLICY, ...late }, dial: route }
  const site = await fetchText('https://own.example.org/', options)
  expect({ error: site.tlsError, requests: requests.toSorted() }).toEqual({
    error: 'wrong_name',
    requests: ['fine /assets/fine.js', 'own /assets/own.js'],
  })
  const missing = site.scripts?.map(({ url, missing = null }) => [new URL(url).host, missing])
  expect(missing).toEqual([
    ['bad.example.org', 'the request failed'],
    ['fine.example.org', null],
    ['own.example.org', null],
  ])
})

describe('a handshake that breaks off fails', () => {
  const serve = async (play: (socket: Socket) => void): Promise<Opened> => {
    const opened = await openListener(play, 'https')
    onTestFinished(opened.close)
    return opened
  }
  test.each<[name: string, play: (socket: Socket) => void, reason: string]>([
    ['when the server closes', (socket) => socket.end(), 'connection_reset'],
    ['when the server resets', (socket) => socket.resetAndDestroy(), 'connection_reset'],
    ['when the server sends an alert', (socket) => socket.end(Buffer.from('15030300020228', 'hex')), 'protocol_error'],
    ['when the server sends something else', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'protocol_error'],
  ])('%s', async (_, play, reason) => {
    let connections = 0
    const opened = await serve((socket) => {
      connections++
      socket.once('data', () => play(socket))
    })
    const { error } = await scan(opened, { deadlineMs: LATE_MS })
    expect({ reason: (error as ScanError).reason, connections }).toEqual({ reason, connections: 1 })
  })
})
