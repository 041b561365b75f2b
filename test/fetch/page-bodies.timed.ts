import { expect, onTestFinished, test } from 'vitest'
import { buildPage } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { head, openSite, type Play } from '../../tools/bench/hostile/raw-server.ts'
import { buildRuleset, compile, technology } from '../engine/support/tiny-rules.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver } from './scene.ts'

const local = parseAllowed('127.0.0.1')

/** Delays each response by a round trip, the first of a connection by two, and sends bodies at a rate. */
function delay(body: Buffer, type: string, { rttMs, bytesPerMs }: { rttMs: number; bytesPerMs: number }): Play {
  const connected = new WeakSet<object>()
  return (socket) => {
    const wait = connected.has(socket) ? rttMs : 2 * rttMs
    connected.add(socket)
    const started = performance.now() + wait
    let sent = 0
    const send = (): void => {
      const due = Math.min(body.length, Math.round((performance.now() - started) * bytesPerMs))
      if (due > sent) socket.write(body.subarray(sent, due))
      sent = Math.max(sent, due)
      if (sent < body.length && !socket.destroyed) setTimeout(send, 5)
    }
    setTimeout(() => {
      socket.write(head(`content-type: ${type}\r\ncontent-length: ${body.length}`))
      send()
    }, wait)
  }
}

test('with 30 ms of round-trip time and 20 MB/s, ten of ten scans receive a bundle of 600 kB', async () => {
  // A scan takes 150 ms. Bodies may take 2,500 ms after the page, which serves links of 150 ms and 2 MB/s too.
  const speed = { rttMs: 30, bytesPerMs: 20_000 }
  const play = (body: string, type: string): Play => delay(Buffer.from(body), type, speed)
  const server = await openSite({
    '/': play(
      `<!doctype html><script type=module src=/main.js></script><link rel=stylesheet href=/main.css>`,
      'text/html',
    ),
    '/main.js': play(`${'let a=1;'.repeat(75_000)}"kilnrt@1.2.3"`, 'text/javascript'),
    '/main.css': play('a{}'.repeat(10_000), 'text/css'),
    '/robots.txt': play('User-agent: *', 'text/plain'),
  })
  onTestFinished(() => server.close())
  const options = {
    resolver: createResolver(),
    policy: { ...DEFAULT_POLICY, deadlineMs: 300_000, allow: local === null ? [] : [local] },
  }
  const sites = await Promise.all(Array.from({ length: 10 }, () => fetchText(server.url, options)))
  const ruleset = buildRuleset(
    compile([technology('x', { detect: [{ bundle: 'kilnrt@', match: 'kilnrt@([\\d.]+)', version: 1 }] })]),
  )
  const verdicts = sites.map((site) => detect(ruleset, buildPage(site)))
  expect(sites.map(({ lateBodies }) => lateBodies)).toEqual(Array(10).fill(0))
  expect(verdicts.map(({ versions, warnings }) => [Object.values(versions), warnings])).toEqual(
    Array(10).fill([['1.2.3'], []]),
  )
})
