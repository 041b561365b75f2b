import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isWellFormed } from '../../src/keys/key.ts'
import type { Key } from '../../src/keys/types.ts'
import { scanOf } from '../http/app-fixture.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { until } from '../support/until.ts'
import { findSecrets, openPeople, type People, type Person, readText } from './people.ts'

const HOUR_MS = 3_600_000
const INVISIBLE = '\u200B\u202E'

const kind = await findAppKind('portal-keys')
describe.skipIf(kind.isMissing).each([kind])('$name', (kind) => {
  describe('the keys of an account', () => {
    let portal: People
    /** Accounts with some keys, for tests that concern a single key. */
    let ann: Person
    let ben: Person
    beforeAll(async () => {
      portal = await openPeople(kind)
      ann = await portal.createPerson('advanced')
      ben = await portal.createPerson('advanced')
    })
    // Rejected keys are counted per minute and address: each test has a minute of its own.
    beforeEach(() => {
      portal.clock.now += 60_000
    })

    const readKey = async (id: string): Promise<Key> => {
      const key = await portal.store.keys.getKey(id)
      if (key === null) throw new Error('the key is gone')
      return key
    }

    const callWith = async (secret: string): Promise<number> =>
      (await portal.fastify.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${secret}` } })).statusCode

    /** Nodes that share a store may cache a key for 4 s. */
    const isRejected = async (secret: string): Promise<void> => {
      if (kind.isShared) await until(() => callWith(secret), 401)
      else expect(await callWith(secret)).toBe(401)
    }

    const create = async (person: Person, name: string, more: Record<string, string> = {}): Promise<string> => {
      portal.clock.now += 1 // Keys are listed by their time of creation.
      const { status, html } = await person.post('/account/keys', { name, revision: '', ...more })
      expect(status).toBe(200)
      const secrets = findSecrets(html)
      expect(secrets).toHaveLength(1)
      return secrets[0]
    }

    test('an account without a key is offered the default key, once', async () => {
      const person = await portal.createPerson('free')
      const { html } = await person.get('/account/keys')
      expect(readText(html)).toContain('Create your default key')
      expect(html).not.toContain('name="name"')
      const made = await person.post('/account/keys', { action: 'default' })
      expect([made.status, made.headers['cache-control']]).toEqual([200, 'no-store'])
      const [secret] = findSecrets(made.html)
      expect(isWellFormed(secret)).toBe(true)
      expect(await callWith(secret)).toBe(200)
      const again = await person.post('/account/keys', { action: 'default' })
      expect([again.status, findSecrets(again.html)]).toEqual([409, []])
      expect(readText(again.html)).toContain('rotate the key')
      expect(await person.keys()).toHaveLength(1)
      const list = await person.get('/account/keys')
      expect(findSecrets(list.html)).toEqual([])
      expect(readText(list.html)).toContain(`spk_live_…${secret.slice(-4)}`)
    })

    test('a key is created with its name and revision, and works', async () => {
      const person = await portal.createPerson()
      const { html } = await person.post('/account/keys', { name: '  Build server  ', revision: '1' })
      const [secret] = findSecrets(html)
      expect(html).toContain(`curl -s -H &#39;Authorization: Bearer ${secret}&#39;`.replaceAll('&#39;', "'"))
      const [key] = await person.keys()
      expect(key).toMatchObject({
        name: 'Build server',
        revision: 1,
        plan: 'pro',
        account: person.account.id,
        email: person.account.email,
      })
      expect(key.id).toMatch(/^key_[0-9A-Za-z]{16}$/)
      expect(await callWith(secret)).toBe(200)
      const list = readText((await person.get('/account/keys')).html)
      expect(list).toContain('Build server')
      expect(list).toContain('You have 1 key. The plan pro allows 10.')
    })

    test.each([
      ['no name', { name: '' }, 'Enter a name'],
      ['only spaces', { name: '  \t ' }, 'Enter a name'],
      ['101 characters', { name: 'x'.repeat(101) }, 'Enter a name'],
      ['a line break', { name: 'a\nb' }, 'Enter a name'],
      ['nothing visible', { name: INVISIBLE }, 'Enter a name'],
      ['marks of direction', { name: 'abc\u202Edcba\u200F\u2066x' }, 'Enter a name'],
      ['an unknown revision', { name: 'x', revision: '3' }, 'Choose a revision from the list'],
    ])('%s is rejected with the form', async (_, form, sentence) => {
      const before = (await ann.keys()).length
      const { status, html } = await ann.post('/account/keys', { revision: '', ...form })
      expect([status, findSecrets(html)]).toEqual([422, []])
      expect(readText(html)).toContain(sentence)
      expect(await ann.keys()).toHaveLength(before)
    })

    describe('names of any kind are shown as they are', () => {
      test.each([
        ['HTML', '<img src=x onerror=alert(1)>"\'&amp;'],
        ['an end of the title', '</title><script>alert(1)</script>'],
        ['emoji', '🚢'.repeat(100)],
        ['Arabic', 'مفتاح الخادم'],
        ['a formula', '=1+1'],
      ])('%s', async (_, name) => {
        await create(ann, name)
        const [key] = (await ann.keys()).slice(-1)
        expect(key.name).toBe(name)
        const paths = ['/account/keys', `/account/keys/${key.id}`, `/account/keys/${key.id}/revoke`, '/account']
        for (const path of paths) {
          const { status, html } = await ann.get(path)
          expect(status).toBe(200)
          const names = [...html.matchAll(/<bdi>(.*?)<\/bdi>/gs)].map(([, text]) => readText(text))
          expect(names).toContain(readText(name.replaceAll('&', '&amp;').replaceAll('<', '&lt;')))
          expect(html).not.toContain('<img src=x')
          expect(html).not.toContain('<script>')
        }
      })
    })

    describe('the limit of the plan', () => {
      test('holds, and says what to do', async () => {
        const person = await portal.createPerson('starter')
        for (const name of ['1', '2', '3']) await create(person, name)
        const list = await person.get('/account/keys')
        expect(list.html).not.toContain('name="revision"')
        expect(readText(list.html)).toContain('You have 3 keys. The plan starter allows 3.')
        const { status, html } = await person.post('/account/keys', { name: '4', revision: '' })
        expect([status, findSecrets(html)]).toEqual([409, []])
        expect(readText(html)).toContain('You have as many keys as your plan allows')
        await person.post(`/account/keys/${(await person.keys())[1].id}/revoke`)
        await create(person, '5')
        expect((await person.keys()).map(({ name }) => name)).toEqual(['1', '2', '3', '5'])
      })

      test('holds for concurrent requests', async () => {
        const person = await portal.createPerson('starter')
        const replies = await Promise.all(
          Array.from({ length: 8 }, (_, i) => person.post('/account/keys', { name: `${i}`, revision: '' })),
        )
        const secrets = replies.flatMap(({ html }) => findSecrets(html))
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409, 409, 409])
        expect(secrets).toHaveLength(3)
        expect(await person.keys()).toHaveLength(3)
        for (const secret of secrets) expect(await callWith(secret)).toBe(200)
      })

      test('does not stop keys that the operator attached above it', async () => {
        const person = await portal.createPerson('free')
        await create(person, 'Own')
        const { key } = await portal.newKey({ name: 'Attached' })
        expect(await portal.store.keys.attachKey(key.id, person.account.id)).toBe(true)
        const { status, html } = await person.get('/account/keys')
        expect(status).toBe(200)
        expect(readText(html)).toContain('You have 2 keys. The plan free allows 1.')
        expect(readText(html)).toContain('Attached')
      })
    })

    describe('a form that is sent twice creates one key', () => {
      test('one after the other', async () => {
        const person = await portal.createPerson()
        const form = { name: 'Once', revision: '', form: 'V1StGXR8_Z5jdHi6B-myT' }
        const [first, second] = [await person.post('/account/keys', form), await person.post('/account/keys', form)]
        expect([first.status, second.status]).toEqual([200, 409])
        expect(findSecrets(second.html)).toEqual([])
        expect(readText(second.html)).toContain('The form was sent twice. It created one key')
        const [key, ...others] = await person.keys()
        expect(others).toEqual([])
        expect(second.html).toContain(`href="/account/keys/${key.id}"`)
        expect(await callWith(findSecrets(first.html)[0])).toBe(200)
      })

      test('concurrently, at the limit', async () => {
        const person = await portal.createPerson('free')
        const form = { name: 'Once', revision: '', form: 'Uakgb_J5m9g-0JDMbcJqL' }
        const replies = await Promise.all([1, 2, 3].map(() => person.post('/account/keys', form)))
        expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
        expect(await person.keys()).toHaveLength(1)
        for (const { html } of replies.filter(({ status }) => status === 409))
          expect(readText(html)).toContain('The form was sent twice')
      })

      test('the same form of another account is another form', async () => {
        const form = { form: 'x'.repeat(21) }
        await create(ann, 'Ann', form)
        await create(ben, 'Ben', form)
        expect((await ann.keys()).at(-1)?.id).not.toBe((await ben.keys()).at(-1)?.id)
      })

      test('every page has another form', async () => {
        const person = await portal.createPerson('advanced')
        await portal.addKey(person, 'First') // Without a key, the page offers the default key instead of the form.
        const read = async (): Promise<string | undefined> =>
          /name="form" value="([^"]+)"/.exec((await person.get('/account/keys')).html)?.[1]
        const [first, second] = [await read(), await read()]
        expect(first).toMatch(/^[\w-]{21}$/)
        expect(first).not.toBe(second)
      })
    })

    test('a key is renamed', async () => {
      const { key } = await portal.addKey(ann, 'Before')
      const path = `/account/keys/${key.id}`
      const { status, headers } = await ann.post(path, { action: 'rename', name: ' After ' })
      expect([status, headers.location]).toEqual([303, `${path}?done=renamed`])
      expect(readText((await ann.get(`${path}?done=renamed`)).html)).toContain('The key has its new name')
      expect((await readKey(key.id)).name).toBe('After')
      const wrong = await ann.post(path, { action: 'rename', name: `<${'x'.repeat(100)}` })
      expect(wrong.status).toBe(422)
      expect(wrong.html).toContain(`value="&lt;${'x'.repeat(100)}"`)
      expect((await readKey(key.id)).name).toBe('After')
    })

    describe('rotation', () => {
      test.each([
        ['0', 0],
        ['1h', HOUR_MS],
        ['24h', 24 * HOUR_MS],
        ['7d', 7 * 24 * HOUR_MS],
      ])('with the overlap %s', async (overlap, ms) => {
        const { key, secret } = await portal.addKey(ann)
        const lastFour = secret.slice(-4)
        const start = portal.clock.now
        const path = `/account/keys/${key.id}`
        const { status, html } = await ann.post(path, { action: 'rotate', overlap, secret: lastFour })
        const [fresh] = findSecrets(html)
        expect(status).toBe(200)
        expect(await callWith(fresh)).toBe(200)
        const changed = await readKey(key.id)
        expect(changed.secrets.map(({ expiresAt }) => expiresAt)).toEqual([null, new Date(start + ms)])
        expect(
          readText((await ann.get(path)).html).includes(`The previous secret …${lastFour} stays valid until`),
        ).toBe(ms > 0)
        if (ms > 0) expect(await callWith(secret)).toBe(200)
        portal.clock.now = start + ms + 5000
        await isRejected(secret)
        expect(await callWith(fresh)).toBe(200)
        portal.clock.now = start
      })

      test('of a page that is not up to date does nothing', async () => {
        const { key, secret } = await portal.addKey(ann)
        const form = { action: 'rotate', overlap: '0', secret: secret.slice(-4) }
        const first = await ann.post(`/account/keys/${key.id}`, form)
        const second = await ann.post(`/account/keys/${key.id}`, form)
        expect([first.status, second.status]).toEqual([200, 422])
        expect(readText(second.html)).toContain('rotated after this page was opened')
        expect(await callWith(findSecrets(first.html)[0])).toBe(200)
        // The form of the second page is up to date.
        expect(second.html).toContain(`name="secret" value="${findSecrets(first.html)[0].slice(-4)}"`)
      })

      test.each(['', '2h', '-1', '__proto__'])('the overlap %j is rejected', async (overlap) => {
        const { key, secret } = await portal.addKey(ann)
        const form = { action: 'rotate', overlap, secret: secret.slice(-4) }
        expect((await ann.post(`/account/keys/${key.id}`, form)).status).toBe(422)
        expect((await readKey(key.id)).secrets).toHaveLength(1)
      })

      test('a key has at most ten valid secrets', async () => {
        portal.clock.now += 60_000 // Changes are limited per minute.
        let [lastFour, { key }] = ['', await portal.addKey(ann)]
        const rotate = async (overlap: string) => {
          key = await readKey(key.id)
          lastFour = key.secrets[0].lastFour
          return await ann.post(`/account/keys/${key.id}`, { action: 'rotate', overlap, secret: lastFour })
        }
        for (let i = 1; i < 10; i++) expect((await rotate('7d')).status).toBe(200)
        const refused = await rotate('1h')
        expect([refused.status, readText(refused.html).includes('10 valid secrets')]).toEqual([422, true])
        expect((await rotate('0')).status).toBe(200)
        portal.clock.now += 1000
        expect((await rotate('24h')).status).toBe(200)
        expect((await readKey(key.id)).secrets).toHaveLength(2)
      })
    })

    describe('revocation', () => {
      test('asks first, then holds for good', async () => {
        const { key, secret } = await portal.addKey(ann, 'Old server')
        expect(await callWith(secret)).toBe(200)
        const question = await ann.get(`/account/keys/${key.id}/revoke`)
        expect(readText(question.html)).toMatch(/Revoke this key\?.*Old server.*This cannot be undone/)
        expect((await readKey(key.id)).revokedAt).toBeNull()
        const { status, headers } = await ann.post(`/account/keys/${key.id}/revoke`)
        expect([status, headers.location]).toEqual([303, '/account/keys?done=revoked'])
        await isRejected(secret)
        const list = readText((await ann.get('/account/keys?done=revoked')).html)
        expect(list).toContain('The key is revoked')
        expect(list).toMatch(/ revoked keys? .*Old server/)
      })

      test('by two tabs keeps the first time', async () => {
        const { key } = await portal.addKey(ann)
        const path = `/account/keys/${key.id}/revoke`
        expect((await Promise.all([ann.post(path), ann.post(path)])).map(({ status }) => status)).toEqual([303, 303])
        const { revokedAt } = await readKey(key.id)
        portal.clock.now += 1000
        expect((await ann.post(path)).status).toBe(303)
        expect((await readKey(key.id)).revokedAt).toEqual(revokedAt)
        expect((await ann.get(path)).status).toBe(303)
      })

      test.each([
        ['rename', { name: 'x' }],
        ['rotate', { overlap: '0' }],
      ])('is followed by no %s', async (action, form) => {
        const { key } = await portal.addKey(ann)
        await ann.post(`/account/keys/${key.id}/revoke`)
        const { status, html } = await ann.post(`/account/keys/${key.id}`, {
          action,
          secret: key.secrets[0].lastFour,
          ...form,
        })
        expect([status, findSecrets(html)]).toEqual([409, []])
        expect((await ann.get(`/account/keys/${key.id}`)).html).not.toContain('name="action"')
      })
    })

    describe('a key of another account does not exist', () => {
      test.each([
        ['GET', '', {}],
        ['GET', '/revoke', {}],
        ['POST', '', { action: 'rename', name: 'Mine' }],
        ['POST', '', { action: 'rotate', overlap: '0' }],
        ['POST', '/revoke', {}],
      ] as const)('%s %s %j', async (method, path, form) => {
        const { key } = await portal.addKey(ann, 'Private name')
        const secret = key.secrets[0].lastFour
        const send = (id: string) =>
          method === 'GET'
            ? ben.get(`/account/keys/${id}${path}`)
            : ben.post(`/account/keys/${id}${path}`, { secret, ...form })
        const [foreign, missing] = [await send(key.id), await send('key_0000000000000000')]
        expect([foreign.status, missing.status]).toEqual([404, 404])
        const withoutIds = [foreign, missing].map(({ html }) => html.replace(/<code>.*?<\/code>/g, ''))
        expect(withoutIds[0]).toBe(withoutIds[1])
        expect(await readKey(key.id)).toEqual(key)
      })

      test('nor does a key without an account', async () => {
        const { key } = await portal.newKey()
        expect((await ann.post(`/account/keys/${key.id}/revoke`)).status).toBe(404)
        expect((await portal.store.keys.getKey(key.id))?.revokedAt).toBeNull()
      })
    })

    test.each([
      ['GET', '/account/keys'],
      ['POST', '/account/keys'],
      ['GET', '/account/keys/key_0000000000000000'],
      ['POST', '/account/keys/key_0000000000000000'],
      ['GET', '/account/keys/key_0000000000000000/revoke'],
      ['POST', '/account/keys/key_0000000000000000/revoke'],
    ] as const)('%s %s leads to log-in without a session', async (method, path) => {
      const { status, headers } = await portal.openBrowser().send({ path, ...(method === 'POST' && { form: {} }) })
      expect([status, String(headers.location).split('?')[0]]).toEqual([303, '/login'])
    })

    test('a suspended account cannot change its keys', async () => {
      const person = await portal.createPerson()
      const { key } = await portal.addKey(person)
      await portal.store.accounts.suspendAccount(person.account.id, new Date())
      for (const path of ['/account/keys', `/account/keys/${key.id}/revoke`])
        expect(await person.post(path, { name: 'x' })).toMatchObject({
          status: 303,
          headers: { location: '/login?ended' },
        })
      expect(await person.keys()).toMatchObject([{ id: key.id, revokedAt: null }])
    })

    test('a form of another origin is rejected', async () => {
      const { key } = await portal.addKey(ann)
      const { status } = await ann.post(`/account/keys/${key.id}/revoke`, {}, { origin: 'https://evil.example' })
      expect(status).toBe(403)
      expect((await readKey(key.id)).revokedAt).toBeNull()
    })

    test('a key in a header opens no page, and a cookie opens no API', async () => {
      const { secret } = await portal.addKey(ann)
      const headers = { authorization: `Bearer ${secret}` }
      expect((await portal.openBrowser().send({ path: '/account/keys', headers })).status).toBe(303)
      expect((await ann.get(scanOf('https://example.org'))).status).toBe(401)
    })

    test('many changes in a minute are rejected', async () => {
      const { key } = await portal.addKey(ann)
      portal.clock.now += 60_000
      const statuses = []
      for (let i = 0; i < 21; i++) {
        const { secrets } = await readKey(key.id)
        const form = { action: 'rotate', overlap: '0', secret: secrets[0].lastFour }
        statuses.push((await ann.post(`/account/keys/${key.id}`, form)).status)
        portal.clock.now += 1
      }
      expect(statuses.slice(0, 20)).toEqual(Array(20).fill(200))
      expect(statuses[20]).toBe(429)
    })

    test('no secret is in the log', () => {
      expect(findSecrets(portal.log())).toEqual([])
    })
  })
})
