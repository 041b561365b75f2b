import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { RulesetChanged } from '../../src/scan/current-rules.ts'
import { rollBackRules } from '../../src/updates/update-rules.ts'
import { until } from '../support/until.ts'
import { openScene, openServer, scan, scanDuringSwitches } from './rules-server.ts'
import { makeRelease, nameRelease, PAGE, SITEPRINT } from './test-release.ts'

// switches.slow.ts does the same with 10,000 scans and ten switches.
test('each scan during two switches is answered by one ruleset', async () => {
  expect(await scanDuringSwitches(300, 2)).toEqual([1, 2, 3])
})

test('a scan ends with the ruleset with which it started, whose workers are then terminated', async () => {
  const scene = await openScene()
  const held: ServerResponse[] = []
  const server = createServer((_, response) => void held.push(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scene.offer.offered = makeRelease(1).bytes
  scene.start()
  await until(() => scene.rules.current.version, nameRelease(1).version)
  const { secret } = await scene.app.newKey({ plan: 'free' })
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const first = scan(scene, secret, page)
  await until(() => held.length, 1)
  await scene.update(2)
  const second = scan(scene, secret, page)
  await until(() => held.length, 2)
  for (const response of held) response.setHeader('content-type', 'text/html').end(PAGE)
  expect(await Promise.all([first, second])).toEqual([1, 2])
  expect(scene.scanner.queue).toEqual({ waiting: 0, running: 0 })
  const target = scene.scanner.scan(page, { ruleset: nameRelease(1).version })
  await expect(target).rejects.toBeInstanceOf(RulesetChanged)
  server.closeAllConnections()
  server.close()
})

test('a ruleset that is refused changes nothing, and a rollback is followed', async () => {
  const scene = await openScene()
  const builtIn = scene.rules.current.version
  scene.offer.offered = makeRelease(1, { builder: 'Wix' }).bytes
  scene.start()
  await until(() => scene.counts, ['refused'])
  expect(scene.lines.join()).toMatch(/the rules were not updated: those in use stay .*conformance case 1 /)
  expect(scene.rules.current.version).toBe(builtIn)
  for (const number of [2, 3]) await scene.update(number)
  await scene.command('rollback')
  await until(() => scene.rules.current.version, nameRelease(2).version)
  rollBackRules({ folder: scene.folder, siteprint: SITEPRINT })
  await until(() => scene.rules.current.version, builtIn)
  expect(scene.lines.at(-1)).toContain('the rules in use are now the built-in rules')
  // Made active without a trial, as by a command of another version.
  const bad = makeRelease(4, { builder: 'Wix' })
  scene.folder.storeFile(bad.release, bad.bytes)
  scene.folder.writeState({ active: bad.release, previous: null, rolledBack: null })
  await until(() => scene.lines.at(-1)?.includes('the rules were not switched: those in use stay'), true)
  expect(scene.rules.current.version).toBe(builtIn)
})

test('a server that stops while the file is sent does not wait, and a start uses what was active', async () => {
  const first = await openScene()
  first.offer.offered = makeRelease(1).bytes
  const keeper = first.start()
  await until(() => first.counts, ['updated'])
  await keeper.close()
  const next = await openServer(first.dataDir, first.offer.url)
  expect(next.rules.current.version).toBe(nameRelease(1).version)
  first.offer.requests = 0
  first.offer.offered = (response) => response.write(makeRelease(2).bytes.subarray(0, 100))
  const hanging = next.startUpdates(next.rules)
  await until(() => first.offer.requests, 1)
  await hanging.close()
  expect([next.counts, first.folder.readState().active]).toEqual([[], nameRelease(1)])
  await next.scanner.close()
  const { active } = first.folder.readState()
  if (active !== null) first.folder.storeFile(active, makeRelease(1).bytes.subarray(0, -500))
  const last = await openServer(first.dataDir, first.offer.url)
  expect(last.rules.current.version).not.toBe(nameRelease(1).version)
  expect(last.lines.join()).toMatch(/the fetched rules cannot be used: the built-in rules are used .*the file is cut/)
  first.offer.offered = makeRelease(1).bytes
  const repairing = last.startUpdates(last.rules)
  await until(() => last.rules.current.version, nameRelease(1).version)
  await repairing.close()
  await last.scanner.close()
})
