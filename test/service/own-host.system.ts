import { expect, test } from 'vitest'
import { smallProject } from '../support/built-project.ts'
import { scanOf } from './nodes.ts'
import { makeFolder, startService } from './start-service.ts'

test('the start logs the versions, the own host of the service cannot be scanned, and metrics have their own port, on loopback whatever HOST is', async () => {
  const { url, key, printed, child, ended } = await startService(smallProject(), {
    HOST: '127.0.0.2',
    DATA_DIR: makeFolder(),
    PUBLIC_URL: 'https://Siteprint.example.com:8443/',
    ALLOWED_HOSTS: '127.0.0.2',
    METRICS_PORT: '0',
    LOG_LEVEL: 'debug',
  })
  const ask = async (page: string): Promise<unknown[]> => {
    const answer = await fetch(url + scanOf(page), { headers: { 'x-api-key': key } })
    const { code, error } = (await answer.json()) as Record<string, string>
    return [answer.status, code, error]
  }
  const own = [400, 'blocked_target', 'This is the address of this service, which does not scan itself.']
  for (const page of ['https://siteprint.example.com/', 'http://SITEPRINT.example.com./docs'])
    expect(await ask(page)).toEqual(own)
  // The response for a private address does not reveal whether the service listens on it.
  expect((await ask('http://127.0.0.2/'))[2]).toBe((await ask('http://127.0.0.3/'))[2])

  for (const message of ['started', 'metrics server started'])
    await expect.poll(() => printed.stderr).toContain(`"msg":"${message}"`)
  const lines = printed.stderr.split('\n').filter((line) => line.startsWith('{'))
  const started = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'started')
  const ruleset = expect.stringMatching(/^[\da-f]{16}$/)
  expect(started).toMatchObject({ version: '0.1.0', ruleset, node: process.version, keys: 'SQLite', shared: 'memory' })
  expect(started.address).toBe(url)

  const port = /"port":(\d+),"msg":"metrics server started"/.exec(printed.stderr)?.[1]
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(metrics).toContain('siteprint_build_info{version="0.1.0"')
  expect(metrics).toMatch(/^siteprint_store_up 1$/m)
  expect((await fetch(`${url}/metrics`)).status).toBe(404)
  await expect(fetch(`http://127.0.0.2:${port}/metrics`)).rejects.toThrow()
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
