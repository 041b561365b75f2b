import { describe, expect, test } from 'vitest'
import { buildKey, buildSecret } from '../../src/keys/key.ts'
import { readUsed } from '../store/read-used.ts'
import { NEXT_YEAR, newSite, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { appKinds } from './app-kinds.ts'

const NOW = Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15)
const [OLD, NEW, FOREIGN] = ['old', 'new', 'foreign'].map((name) => `the ${name} pepper of the tests, at least 32`)

async function createKey(
  { store }: TestApp,
  pepper: string,
): Promise<{ readonly id: string; readonly secret: string }> {
  const parts = { name: 'n', email: 'e@harbourline.example', plan: 'advanced', revision: null }
  const { key, secret } = buildKey({ ...parts, now: new Date(NOW), pepper })
  await store.keys.createKey(key)
  return { id: key.id, secret }
}

describe.each(await appKinds('http: pepper'))('during a change of the pepper on $name', ({ isMissing, open }) => {
  test.skipIf(isMissing)('keys of both peppers are accepted, and those of another one are not', async () => {
    const app = await openApp({ stores: await open(), now: NOW, parts: { pepper: NEW, oldPepper: OLD } })
    for (const [pepper, status] of [
      [OLD, 200],
      [NEW, 200],
      [FOREIGN, 401],
    ] as const) {
      const { secret } = await createKey(app, pepper)
      for (let round = 0; round < 2; round++)
        expect((await app.call({ url: '/api/v1/me', secret })).status, pepper).toBe(status)
    }
  })

  test.skipIf(isMissing)('without the old pepper its keys are rejected', async () => {
    const app = await openApp({ stores: await open(), now: NOW, parts: { pepper: NEW, oldPepper: null } })
    const { secret } = await createKey(app, OLD)
    expect((await app.call({ url: '/api/v1/me', secret })).status).toBe(401)
  })

  test.skipIf(isMissing)('a rotation under load gives no wrong response and loses no count', async () => {
    const app = await openApp({ stores: await open(), now: NOW, parts: { pepper: NEW, oldPepper: OLD } })
    const { id, secret: old } = await createKey(app, OLD)
    const scan = (secret: string) => app.call({ url: scanOf(newSite()), secret })
    const before = Array.from({ length: 30 }, () => scan(old))
    const { stored, secret } = buildSecret({ pepper: NEW })
    const oldEndAt = new Date(NOW + 3_600_000)
    const rotation = app.store.keys.rotateKey(id, { secret: stored, oldEndAt, now: new Date(NOW) })
    const during = Array.from({ length: 30 }, () => scan(old))
    expect(await rotation).toBe(true)
    const after = Array.from({ length: 30 }, (_, n) => scan(n % 2 ? old : secret))
    const answers = await Promise.all([...before, ...during, ...after])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await readUsed(app.store, id, `${NEXT_YEAR}-05`)).toBe(90)
  })
})
