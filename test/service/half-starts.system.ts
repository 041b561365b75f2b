import { request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { makeFolder, type RunningService, type Settings, startService } from './start-service.ts'

let project: BuiltProject
beforeAll(() => {
  project = smallProject()
})

const OLD = 'Vb4q+0mXn8sJ2kTz6yRw1dHc7uLg3fPa'
const NEW = 'k9Zr2WqX5vN8bM1cL4jH7gF0dS3aP6oI'

async function stop({ child, ended }: RunningService): Promise<void> {
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
}

interface Sent {
  readonly path: string
  readonly host: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: string
}

/** Sends a request with any Host, which `fetch` does not allow. @returns status and body */
function send(url: string, { path, host, headers = {}, form }: Sent): Promise<[status: number, body: string]> {
  return new Promise((resolve, reject) => {
    const method = form === undefined ? 'GET' : 'POST'
    const sent = request(url + path, { method, headers: { ...headers, host } }, async (response) => {
      let body = ''
      for await (const text of response.setEncoding('utf8')) body += text
      resolve([response.statusCode ?? 0, body])
    })
    sent.on('error', reject).end(form)
  })
}

test.each<[string, Settings, string]>([
  ['a proxy', { TRUST_PROXY: '1', SIGNUP: 'open' }, 'PUBLIC_URL: is required for the portal with TRUST_PROXY: '],
  [
    'e-mail',
    { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'a@a.example' },
    'PUBLIC_URL: is required for the portal with SMTP_URL: ',
  ],
])('a start with %s and without the public URL is refused', async (_, settings, sentence) => {
  const { code, stdout, stderr } = await project.spawnServer({
    env: { DATA_DIR: makeFolder(), PORT: '0', PORTAL: 'on', ...settings },
  })
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(`^${sentence}.*\n$`) })
})

test('a default start serves localhost and its address, and no name that was turned to it; a start names its risks', async () => {
  const service = await startService(project, {
    ...{ DATA_DIR: makeFolder(), PORTAL: 'on', METRICS_PORT: '0' },
    ...{ SCAN_ALOW: 'secret', AUTH_SECRET: 'a'.repeat(32), ALLOWED_HOSTS: 'siteprint.lan' },
  })
  const { url, key, printed } = service
  const { port } = new URL(url)
  const ask = async (host: string, path: string) => (await send(url, { host, path, headers: { 'x-api-key': key } }))[0]
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'siteprint.lan'])
    expect([host, await ask(host, '/api/v1/me'), await ask(host, '/signup')]).toEqual([host, 200, 200])
  const rebound = `rebound.example:${port}`
  expect(
    await Promise.all(['/api/v1/me', '/signup', '/docs/', '/health/ready'].map((path) => ask(rebound, path))),
  ).toEqual([421, 421, 421, 200])
  const form = 'name=A&email=a%40a.example&password=a+long+and+unusual+password'
  const origin = `http://${rebound}`
  const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
  const [status, page] = await send(url, { host: rebound, path: '/signup', headers, form })
  expect([status, page.includes('spk_live_')]).toEqual([421, false])

  await expect.poll(() => printed.stderr).toMatch(/"port":\d+,"msg":"metrics server started"/)
  const metrics = `http://127.0.0.1:${/"port":(\d+),"msg":"metrics/.exec(printed.stderr)?.[1]}`
  const scrape = async (host: string) => (await send(metrics, { host, path: '/metrics' }))[0]
  expect([await scrape('localhost:9464'), await scrape('127.0.0.1'), await scrape(rebound)]).toEqual([200, 200, 421])

  const warnings = printed.stderr
    .split('\n')
    .flatMap((line) => (/"warn".*"msg":"[A-Z_]+: /.test(line) ? [JSON.parse(line).msg] : []))
  expect(warnings).toEqual([
    expect.stringMatching(/^AUTH_SECRET: is one repeated character/),
    'SCAN_ALOW: is not a setting; did you mean SCAN_ALLOW?',
  ])
  expect(printed.stderr).not.toContain('secret"')
  await stop(service)
})

describe('a start with another pepper than that of the keys', () => {
  test('says so in the log and in /health/ready', async () => {
    const DATA_DIR = makeFolder()
    const first = await startService(project, { DATA_DIR, KEY_PEPPER: OLD })
    await stop(first)
    // The new pepper is one of the store from now on, although no key was rotated.
    await stop(await startService(project, { DATA_DIR, KEY_PEPPER: NEW, KEY_PEPPER_OLD: OLD }))
    const service = await startService(project, { DATA_DIR, KEY_PEPPER: NEW })
    const ready = await fetch(`${service.url}/health/ready`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', why: 'pepper' }])
    const answer = await fetch(`${service.url}/api/v1/me`, { headers: { 'x-api-key': first.key } })
    expect(answer.status).toBe(503)
    await expect.poll(() => service.printed.stderr).toMatch(/"level":"error".*KEY_PEPPER is not the pepper/)
    await stop(service)
  })
})
