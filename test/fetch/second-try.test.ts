import { describe, expect, onTestFinished, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { parseRetryAfter } from '../../src/fetch/second-try.ts'
import {
  answer,
  openListener,
  openSite,
  type Play,
  sayAndEnd,
  sayAndReset,
} from '../../tools/bench/hostile/raw-server.ts'
import { LATE_MS, scan } from './hostile-scan.ts'

const NOW = Date.parse('Fri, 27 Nov 2026 06:00:00 GMT')

test.each<[values: readonly string[], date: string | null, ms: number | null]>([
  [['0'], null, 0],
  [['3'], null, 3000],
  [[' 5 '], null, 5000],
  [['3600'], null, 3_600_000],
  [['Fri, 27 Nov 2026 06:00:02 GMT'], null, 2000],
  [['Fri, 27 Nov 2026 05:00:00 GMT'], null, 0],
  [['Fri, 27 Nov 2026 07:00:02 GMT'], 'Fri, 27 Nov 2026 07:00:00 GMT', 2000],
  [['Fri, 27 Nov 2026 06:00:02 GMT'], 'today', 2000],
  [[], null, null],
  [['1', '1'], null, null],
  [['-1'], null, null],
  [['1.5'], null, null],
  [['1e0'], null, null],
  [['2026-11-27T06:00:01Z'], null, null],
  [['Fri, 99 Nov 2026 06:00:02 GMT'], null, null],
  [['soon'], null, null],
])('Retry-After %j with the date %j is a wait of %j ms', (values, date, ms) => {
  const headers = values.map((value): [string, string] => ['retry-after', value])
  if (date !== null) headers.push(['date', date])
  expect(parseRetryAfter({ headers }, NOW)).toBe(ms)
})

const html = 'content-type: text/html'
const PAGE = answer('<title>Tide tables</title>')
const later = (status: string, after: string): Play => answer('Slow down.', `${html}\r\nretry-after: ${after}`, status)
const LATER = later('429 Too Many Requests', '0')
const to = (location: string): Play => answer('', `location: ${location}`, '302 Found')

/** Responds to the requests for pages with these plays, in this order; the last one is repeated. */
async function openScript(...plays: readonly Play[]) {
  const paths: string[] = []
  const page: Play = (socket, path) => plays[Math.min(paths.push(path), plays.length) - 1](socket, path)
  const files: string[] = []
  const file: Play = (socket, path) => {
    files.push(`${path} after ${paths.length}`)
    answer('', 'content-type: text/plain', '404 Not Found')(socket, path)
  }
  const site = await openSite({ '/': page, '/robots.txt': file, '/favicon.ico': file })
  onTestFinished(site.close)
  return { site, paths, files }
}

describe('a site that responds with', () => {
  test.each<[name: string, plays: readonly Play[], paths: readonly string[], outcome: number | string]>([
    ['429 and a wait, then its page', [LATER, PAGE], ['/', '/'], 200],
    ['503 and a wait, then its page', [later('503 Service Unavailable', '0'), PAGE], ['/', '/'], 200],
    ['429 and a wait, twice', [LATER, LATER, PAGE], ['/', '/'], 429],
    ['429 and a wait, then a redirect', [LATER, to('/next'), PAGE], ['/', '/', '/next'], 200],
    ['a redirect, then 429 and a wait', [to('/next'), LATER, PAGE], ['/', '/next', '/next'], 200],
    ['429 and a wait, then a reset', [LATER, sayAndReset(''), PAGE], ['/', '/'], 429],
    ['429 and a wait of an hour', [later('429 Too Many Requests', '3600'), PAGE], ['/'], 429],
    ['429 and a wait of 6 seconds', [later('429 Too Many Requests', '6'), PAGE], ['/'], 429],
    ['429 without a wait', [answer('', html, '429 Too Many Requests'), PAGE], ['/'], 429],
    ['403 and a wait', [later('403 Forbidden', '0'), PAGE], ['/'], 403],
    ['200 and a wait', [later('200 OK', '0'), PAGE], ['/'], 200],
    ['a reset, then its page', [sayAndReset(''), PAGE], ['/', '/'], 200],
    ['nothing, then its page', [sayAndEnd(), PAGE], ['/', '/'], 200],
    ['a reset, twice', [sayAndReset(''), sayAndReset(''), PAGE], ['/', '/'], 'connection_reset'],
    ['a reset, then 429 and a wait', [sayAndReset(''), LATER, PAGE], ['/', '/'], 429],
    ['a redirect, then a reset', [to('/next'), sayAndReset(''), PAGE], ['/', '/next', '/next'], 200],
    ['half a head', [sayAndReset('HTTP/1.1 200 OK\r\nx: '), PAGE], ['/'], 'connection_reset'],
    ['one byte', [sayAndEnd('H'), PAGE], ['/'], 'connection_reset'],
    ['what is not HTTP', [sayAndEnd('220 mail\r\n'), PAGE], ['/'], 'protocol_error'],
  ])('%s', async (_, plays, paths, outcome) => {
    const script = await openScript(...plays)
    const { site, error, left } = await scan(script.site, { deadlineMs: LATE_MS })
    expect({ paths: script.paths, left }).toEqual({ paths, left: [] })
    expect(error instanceof ScanError ? error.reason : site?.status).toBe(outcome)
  })

  test('429 and a wait is asked for nothing else until the wait is over', async () => {
    const script = await openScript(LATER, PAGE)
    await scan(script.site, { deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: LATE_MS })
    expect(script.files.toSorted()).toEqual(['/favicon.ico after 2', '/robots.txt after 2'])
  })

  test('429 and a wait for which the scan has no time left is not asked again', async () => {
    const script = await openScript(later('429 Too Many Requests', '5'), PAGE)
    const { site } = await scan(script.site, { deadlineMs: 5500 })
    expect({ paths: script.paths, status: site?.status }).toEqual({ paths: ['/'], status: 429 })
  })
})

test('a connection that is refused or reset before the request is not opened again', async () => {
  let connections = 0
  const site = await openListener((socket) => {
    connections++
    socket.resetAndDestroy()
  }, 'https')
  onTestFinished(site.close)
  const { error } = await scan(site, { deadlineMs: LATE_MS })
  expect({ reason: (error as ScanError).reason, connections }).toEqual({ reason: 'connection_reset', connections: 1 })
})
