import { describe, expect, test } from 'vitest'
import { buildKey, buildSecret, identifyPepper } from '../../src/keys/key.ts'
import { readUsed } from '../store/read-used.ts'
import { NEXT_YEAR, newSite, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

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

/** What a store contains at the start: the keys of these peppers. */
async function startWith(...peppers: string[]) {
  const stores = await (await findAppKind('http: the pepper of a start')).open() // Its own database.
  const maker = await openApp({ stores, now: NOW, parts: { pepper: NEW } })
  const secrets: string[] = []
  for (const pepper of peppers) secrets.push((await createKey(maker, pepper)).secret)
  const app = await openApp({ stores, now: NOW, parts: { pepper: NEW, firstPepper: identifyPepper(OLD) } })
  const lines = app
    .log()
    .split('\n')
    .flatMap((line) => (/pepper/.test(line) ? [JSON.parse(line).level as number] : []))
  return { app, secrets, lines }
}

const kind = await findAppKind('http: pepper')
describe.skipIf(kind.isMissing).each([kind])('during a change of the pepper on $name', ({ open }) => {
  test('keys of both peppers are accepted, and those of another one are not', async () => {
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

  test('without the old pepper its keys are rejected', async () => {
    const app = await openApp({ stores: await open(), now: NOW, parts: { pepper: NEW, oldPepper: null } })
    const { secret } = await createKey(app, OLD)
    expect((await app.call({ url: '/api/v1/me', secret })).status).toBe(401)
  })

  test('a rotation under load gives no wrong response and loses no count', async () => {
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

describe.skipIf(kind.isMissing).each([kind])('a start on $name', () => {
  const ready = async (app: TestApp): Promise<unknown> => {
    const { status, body } = await app.call({ url: '/health/ready' })
    return [status, body]
  }

  test('with the pepper of no stored key fails readiness and is logged; keys get 503, not 401', async () => {
    const { app, secrets, lines } = await startWith(OLD, FOREIGN)
    expect(lines).toEqual([50])
    expect(await ready(app)).toEqual([503, { status: 'not ready', why: 'pepper' }])
    for (const secret of secrets) {
      const { status, body } = await app.call({ url: '/api/v1/me', secret })
      expect([status, body.code, body.retryable]).toEqual([503, 'unavailable', true])
    }
    expect(app.log()).toContain('"reason":"wrong_pepper"')
    expect((await app.call({ url: '/api/v1/me' })).status, 'no key').toBe(401)

    const { secret } = await createKey(app, NEW)
    expect((await app.call({ url: '/api/v1/me', secret })).status).toBe(200)
    expect((await ready(app)) as number[], 'not counted again yet').toContain(503)
    app.clock.now += 5000
    expect(await ready(app)).toEqual([200, { status: 'ready' }])
    expect((await app.call({ url: '/api/v1/me', secret: secrets[0] })).status).toBe(401)
  })

  test.each<[string, string[], number[]]>([
    ['no key', [], []],
    ['keys of the current pepper', [NEW, NEW], []],
    ['one key of another pepper, which is logged', [NEW, FOREIGN], [40]],
  ])('with %s is ready', async (_, peppers, levels) => {
    const { app, secrets, lines } = await startWith(...peppers)
    expect([lines, await ready(app)]).toEqual([levels, [200, { status: 'ready' }]])
    for (const [i, secret] of secrets.entries())
      expect((await app.call({ url: '/api/v1/me', secret })).status).toBe(peppers[i] === NEW ? 200 : 401)
  })
})
