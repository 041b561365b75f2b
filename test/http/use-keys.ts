import { ScanError } from '../../src/errors.ts'
import { buildSecret, makeSecret } from '../../src/keys/key.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { openApp, scanOf, type TestApp } from './app-fixture.ts'
import type { AppStores } from './app-kinds.ts'

/** A token in the query of this test's URLs, which must not appear in logs or stored data. */
export const TOKEN = 'token-of-a-visitor'
const site = `https://example.org/?session=${TOKEN}`

/** Uses secrets in every way the service supports. @returns the secrets and their hashes */
async function useKeys(app: TestApp): Promise<string[]> {
  const [one, pinned, revoked, rotated] = await Promise.all([
    app.newKey({ plan: 'free' }),
    app.newKey({ revision: 1 }),
    app.newKey(),
    app.newKey(),
  ])
  const { stored, secret: newer } = buildSecret({ pepper: app.parts.pepper })
  await app.store.keys.revokeKey(revoked.key.id, new Date())
  await app.store.keys.rotateKey(rotated.key.id, { secret: stored, oldEndAt: new Date(0), now: new Date(0) })
  const unknown = [makeSecret(), makeSecret()]
  const made = [one, pinned, revoked, rotated].flatMap(({ key, secret }) => [secret, key.secrets[0].hash])
  const secrets = [...made, newer, stored.hash, ...unknown]
  for (const secret of secrets)
    for (const headers of waysToSend(secret))
      for (const url of ['/api/v1/me', scanOf(site), scanOf(`${site}&fails=1`), '/api/v1/nothing'])
        await app.call({ url, headers })
  // Places where a key may be pasted by mistake.
  for (const secret of secrets) {
    await app.call({ url: `/api/v1/me?key=${secret}`, secret: one.secret })
    await app.call({ url: scanOf(`https://example.org/?key=${secret}`), secret: pinned.secret })
    const body = { url: 'https://example.org', [secret]: secret }
    await app.call({ method: 'POST', url: '/api/v1/scan', body, headers: { 'x-api-key': pinned.secret } })
    await app.call({ url: `/nothing/${secret}` })
  }
  return secrets
}

const waysToSend = (secret: string): Record<string, string>[] => [
  { authorization: `Bearer ${secret}` },
  { 'x-api-key': secret },
  { authorization: secret },
]

async function scan(url: string): Promise<ReturnType<typeof sampleScan>> {
  if (url.includes('fails=1')) throw new ScanError('unreachable', { cause: new Error('no route to 192.0.2.1') })
  return sampleScan(url.split('?')[0])
}

/** Uses secrets on an app with these stores. @returns the secrets with their hashes, and the log */
export async function runWithKeys(stores: AppStores): Promise<{ secrets: string[]; log: string }> {
  const app = await openApp({ stores, scan })
  return { secrets: await useKeys(app), log: app.log() }
}
