import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { LOCAL_BLOCK, openSite } from './local-site.ts'
import { scanOf } from './nodes.ts'
import { makeFolder, startService } from './start-service.ts'

test('running scans are answered, and idle connections do not delay the stop', async () => {
  const site = await openSite()
  const project = smallProject()
  const settings = { DATA_DIR: makeFolder(), SCAN_ALLOW: LOCAL_BLOCK }
  const service = await startService(project, settings)
  const { port } = new URL(service.url)
  const idle = connect(Number(port), '127.0.0.1')
  await once(idle, 'connect')
  const slow = ['/slow', '/slow2', '/slow3'].map((path, i) =>
    fetch(service.url + scanOf(site.page(5 + i, path)), { headers: { 'x-api-key': service.key } }),
  )
  await sleep(300)
  const began = performance.now()
  service.child.kill('SIGTERM')
  const answers = await Promise.all(slow)
  expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual(
    Array(3).fill([200, 'close']),
  )
  expect(await service.ended).toBe(0)
  expect(performance.now() - began).toBeLessThan(5000)
  const { id } = JSON.parse((await project.run('keys', ['list', '--json'], { env: settings })).stdout)
  expect(JSON.parse((await project.run('keys', ['show', id], { env: settings })).stdout).usage.used).toBe(3)
  idle.destroy()
})
