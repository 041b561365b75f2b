import type { MongoClient } from 'mongodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildKey } from '../../src/keys/key.ts'
import type { Account } from '../../src/store/account-types.ts'
import type { AuditAction } from '../../src/store/audit-types.ts'
import { StoreError } from '../../src/store/types.ts'
import { scanOf } from '../http/app-fixture.ts'
import { findAppKind, overrideStore } from '../http/app-kinds.ts'
import { type Member, type MembersPortal, openPortalForMembers } from './members.ts'
import { PASSWORD } from './portal-fixture.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0'
const CHROME = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'
const NEW_PASSWORD = 'copper kettle on the moon'

const kind = await findAppKind('settings')
describe.skipIf(kind.isMissing).each([kind])('settings on $name', ({ open }) => {
  let portal: MembersPortal
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open() })
  })

  /** The actions since the sign-up, newest first. */
  async function listActions({ id }: Account): Promise<readonly AuditAction[]> {
    const entries = await portal.store.audit.listAudit({ account: id, limit: 100 })
    const actions = entries.flatMap(({ action, count }) => Array<AuditAction>(count).fill(action))
    expect(actions.slice(-2)).toEqual(['key_created', 'account_created'])
    return actions.slice(0, -2)
  }

  const get = (id: string): Promise<Account | null> => portal.store.accounts.getAccount(id)

  describe('name', () => {
    let member: Member
    beforeAll(async () => {
      member = await portal.join()
    })

    test.each([
      ['Ben Okoye', 303, 'Ben Okoye'],
      ['  Ben  ', 303, 'Ben'],
      ['漢字 🏄‍♀️', 303, '漢字 🏄‍♀️'],
      ['<script>alert(1)</script>', 303, '<script>alert(1)</script>'],
      ['', 422, null],
      ['x'.repeat(101), 422, null],
    ])('%j gets %d', async (name, status, stored) => {
      const { person, account } = member
      const former = await get(account.id)
      const actions = await listActions(account)
      const answer = await person.post('/account/settings/name', { name })
      expect(answer.status).toBe(status)
      expect(await get(account.id)).toEqual({ ...former, ...(stored !== null && { name: stored }) })
      expect(await listActions(account)).toEqual([...(stored === null ? [] : ['account_renamed']), ...actions])
      const page = status === 303 ? await person.get(answer.location ?? '') : answer
      expect(page.text).toContain(
        status === 303 ? 'Your name was changed.' : 'Enter a name of 1 to 100 characters, some of them visible.',
      )
      expect(page.text).not.toContain('<script>alert')
    })
  })

  describe('e-mail address', () => {
    let member: Member
    beforeAll(async () => {
      member = await portal.join()
    })

    test.each([
      ['a wrong password', 'new@example.net', 'wrong', 'The password is wrong.'],
      ['no password', 'new@example.net', '', 'The password is wrong.'],
      ['no address', 'not-an-address', PASSWORD, 'Enter an e-mail address'],
    ])('%s changes nothing', async (_, email, password, sentence) => {
      const { person, account } = member
      const answer = await person.post('/account/settings/email', { email, 'email-password': password })
      expect(answer.status).toBe(422)
      expect(answer.text).toContain(sentence)
      expect(await get(account.id)).toEqual(account)
      expect(await listActions(account)).toEqual([])
    })

    test('an address that has an account is refused', async () => {
      const { account: other } = await portal.join()
      const { person, account } = await portal.join()
      const form = { email: other.email.toUpperCase(), 'email-password': PASSWORD }
      expect((await person.post('/account/settings/email', form)).status).toBe(422)
      expect(await get(account.id)).toEqual(account)
    })

    test('without e-mail, the address is changed at once and is no longer verified', async () => {
      const { account } = await portal.join()
      await portal.store.accounts.verifyAccount(account.id, account.email)
      const person = await portal.logIn(account.email) // The confirmation has ended the first session.
      const email = `changed-${account.email}`
      const answer = await person.post('/account/settings/email', { email, 'email-password': PASSWORD })
      expect(answer.location).toBe('/account/settings?done=email')
      expect(await get(account.id)).toEqual({ ...account, email, isVerified: false })
      expect((await person.get('/account/settings')).text).toContain(email)
      await portal.logIn(email)
      expect(await listActions(account)).toEqual(['email_changed'])
    })
  })

  describe('password', () => {
    let member: Member
    beforeAll(async () => {
      member = await portal.join()
    })

    test.each([
      ['a wrong password', { current: 'wrong', password: NEW_PASSWORD }, 'The password is wrong.'],
      ['a short one', { current: PASSWORD, password: 'short' }, 'at least 10 characters'],
      ['a common one', { current: PASSWORD, password: 'password123' }, 'lists of common passwords'],
      ['no password', { current: PASSWORD, password: '' }, 'at least 10 characters'],
    ])('%s changes nothing', async (_, form, sentence) => {
      const { person, account } = member
      const answer = await person.post('/account/settings/password', form)
      expect(answer.status).toBe(422)
      expect(answer.text).toContain(sentence)
      for (const password of Object.values(form)) if (password) expect(answer.text).not.toContain(`"${password}"`)
      await portal.logIn(account.email)
      expect(await listActions(account)).toEqual([])
    })

    test('a new password ends all other sessions', async () => {
      const { person, account } = await portal.join()
      const other = await portal.logIn(account.email)
      const former = person.cookie
      const form = { current: PASSWORD, password: NEW_PASSWORD }
      expect((await person.post('/account/settings/password', form)).location).toBe('/account/settings?done=password')
      expect(person.cookie).not.toBe(former)
      expect((await person.get('/account/settings')).status).toBe(200)
      expect((await other.get('/account/settings')).location).toMatch(/^\/login/)
      await portal.logIn(account.email, NEW_PASSWORD)
      await expect(portal.logIn(account.email)).rejects.toThrow()
      expect(await listActions(account)).toEqual(['password_changed'])
    })
  })

  describe('sessions', () => {
    const listIds = (text: string): string[] => [...text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id]) => id)

    test('are listed with their browsers, and can be ended one by one', async () => {
      const { account } = await portal.join()
      const mine = await portal.logIn(account.email, PASSWORD, FIREFOX)
      const phone = await portal.logIn(account.email, PASSWORD, CHROME)
      const { text } = await mine.get('/account/settings')
      expect(text).toContain('Firefox on Windows')
      expect(text).toContain('Chrome on Android')
      expect(text.match(/This browser/g)).toHaveLength(1)
      const ids = listIds(text)
      expect(ids).toHaveLength(2)
      for (const id of ids)
        expect((await mine.post('/account/settings/sessions/end', { id })).location).toBe(
          '/account/settings?done=session',
        )
      expect((await phone.get('/account/settings')).location).toMatch(/^\/login/)
      expect((await mine.get('/account/settings')).status).toBe(200)
    })

    test('of others cannot be ended', async () => {
      const { account } = await portal.join()
      const [mine, phone] = [await portal.logIn(account.email), await portal.logIn(account.email)]
      const stranger = (await portal.join()).person
      for (const id of [...listIds((await mine.get('/account/settings')).text), '', '$ne'])
        await stranger.post('/account/settings/sessions/end', { id })
      expect((await phone.get('/account/settings')).status).toBe(200)
    })

    test('are ended all except this one', async () => {
      const { person, account } = await portal.join()
      const others = [await portal.logIn(account.email), await portal.logIn(account.email)]
      await person.post('/account/settings/sessions/end-others')
      for (const other of others) expect((await other.get('/account/settings')).status).toBe(303)
      expect((await person.get('/account/settings')).status).toBe(200)
    })
  })

  test('the export contains all personal data, and no hash', async () => {
    const { person, account } = await portal.join()
    const now = new Date(portal.clock.now)
    const [key] = await portal.store.keys.listAccountKeys(account.id)
    const day = now.toISOString().slice(0, 10)
    await portal.store.usage.charge({ counter: key.id, day, quota: 100, at: now })
    await portal.store.usage.charge({
      counter: key.id,
      day: '2025-01-31',
      quota: 100,
      at: new Date('2025-01-31T10:00Z'),
    })
    const entry = { at: now.getTime(), result: '{"builder":"Wix"}', extras: '{"versions":{}}' }
    const scan = {
      id: `scan of ${account.id}`,
      account: account.id,
      url: 'https://example.org/',
      builder: 'Wix',
      at: now,
    }
    await portal.store.accounts.addScan({ ...scan, entry }, 20)
    const batch = {
      ...{ id: `batch of ${account.id}`, key: key.id, status: 'waiting' as const, reason: null, total: 1, include: [] },
      ...{ fresh: false, createdAt: now, startedAt: null, finishedAt: null, idempotencyKey: null },
    }
    const { batches } = portal.store
    const hidden = { counter: key.counter, account: account.id, fingerprint: '', webhook: null }
    await batches.createBatch({ ...batch, ...hidden }, 1)
    await batches.addUrls(batch.id, [{ position: 0, url: 'https://example.org/', turn: 0 }])
    await batches.openBatch(batch.id)
    await person.post('/account/settings/name', { name: 'Ben' })
    const answer = await person.get('/account/export.json')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="siteprint-${day}.json"`)
    const { secrets, account: _, counter: __, ...rest } = key
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(JSON.parse(answer.text)).toEqual({
      exportedAt: date,
      account: { ...account, name: 'Ben', createdAt: account.createdAt.toISOString() },
      keys: [
        {
          ...rest,
          slot: 1,
          createdAt: rest.createdAt.toISOString(),
          secrets: [{ lastFour: secrets[0].lastFour, expiresAt: null }],
        },
      ],
      usage: {
        months: [
          { slot: 1, month: '2025-01', used: 1, lastUsedAt: '2025-01-31T10:00:00.000Z' },
          { slot: 1, month: day.slice(0, 7), used: 1, lastUsedAt: now.toISOString() },
        ],
        days: [
          { slot: 1, day: '2025-01-31', used: 1 },
          { slot: 1, day, used: 1 },
        ],
      },
      sessions: [{ createdAt: date, expiresAt: date, userAgent: 'curl/8.14.1', isCurrent: true }],
      scans: [
        {
          id: scan.id,
          url: scan.url,
          at: now.toISOString(),
          result: { builder: 'Wix' },
          extras: { versions: {} },
        },
      ],
      batches: [
        {
          ...{ ...batch, slot: 1, createdAt: now.toISOString(), webhook: null },
          counts: { waiting: 1, succeeded: 0, failures: {} },
        },
      ],
      audit: [
        { at: date, action: 'account_renamed', by: 'you', key: null, detail: null, count: 1, firstAt: null },
        { at: date, action: 'key_created', by: 'you', key: key.id, detail: null, count: 1, firstAt: null },
        { at: date, action: 'account_created', by: 'you', key: null, detail: null, count: 1, firstAt: null },
      ],
    })
    expect(answer.text).not.toContain(secrets[0].hash)
  })

  describe('deletion', () => {
    let member: Member
    beforeAll(async () => {
      member = await portal.join()
    })

    test.each([
      ['no confirmation', { confirmation: '', password: PASSWORD }, 'The confirmation is missing.'],
      ['another word', { confirmation: 'remove', password: PASSWORD }, 'The confirmation is missing.'],
      ['a wrong password', { confirmation: 'delete', password: 'wrong' }, 'The password is wrong.'],
      ['no password', { confirmation: 'delete', password: '' }, 'The password is wrong.'],
    ])('%s deletes nothing', async (_, form, sentence) => {
      const { person, account } = member
      const answer = await person.post('/account/delete', form)
      expect(answer.status).toBe(422)
      expect(answer.text).toContain(sentence)
      expect(await get(account.id)).toEqual(account)
      expect((await person.get('/account/settings')).status).toBe(200)
    })

    test('removes the personal data, revokes the keys, and keeps totals and audit entries', async () => {
      const { person, account } = await portal.join()
      const other = await portal.logIn(account.email)
      const { pepper, clock } = portal.parts
      const { key, secret } = buildKey({
        name: 'Second key',
        email: account.email,
        account: account.id,
        plan: 'free',
        revision: null,
        now: new Date(clock()),
        pepper,
      })
      await portal.store.keys.createAccountKey(key, 5)
      const day = new Date(clock()).toISOString().slice(0, 10)
      await portal.store.usage.charge({ counter: key.id, day, quota: 9, at: new Date(clock()) })
      expect((await portal.call({ url: scanOf('https://example.org'), secret })).status).toBe(200)
      expect(await dumpStore(portal)).toContain(account.email)
      const answer = await person.post('/account/delete', { confirmation: ' Delete ', password: PASSWORD })
      expect(answer.location).toBe('/goodbye')
      expect(person.cookie).toBe('')
      expect((await person.get('/goodbye')).text).toContain('Your account was deleted.')
      for (const browser of [person, other])
        expect((await browser.get('/account/settings')).location).toMatch(/^\/login/)
      await expect(portal.logIn(account.email)).rejects.toThrow()
      expect(await get(account.id)).toBeNull()
      expect(await portal.store.usage.usedBy(key.id, day.slice(0, 7))).toBe(2)
      expect(await listActions(account)).toEqual(['account_deleted'])
      expect(await dumpStore(portal)).not.toContain(account.email)
      const scan = async () => (await portal.call({ url: scanOf('https://example.org'), secret })).status
      // Nodes with a shared store cache a key for 4 s.
      await expect.poll(scan, { timeout: 5000, interval: 1000 }).toBe(401)
    })
  })

  test('an audit entry that cannot be written neither undoes nor hides the change', async () => {
    const stores = await open()
    const run = () => Promise.reject(new StoreError('the disk is full'))
    const broken = await openPortalForMembers({
      stores: { ...stores, store: overrideStore(stores.store, { method: 'addAudit', run }) },
    })
    const { person, account } = await broken.join()
    const { location } = await person.post('/account/settings/name', { name: 'Ben' })
    expect(location).toBe('/account/settings?done=name')
    expect((await broken.store.accounts.getAccount(account.id))?.name).toBe('Ben')
    expect(broken.log()).toContain('its audit entry could not be written')
    expect(broken.log()).toContain(account.id)
  })
})

/** All rows or documents of the store as one text. */
async function dumpStore({ store }: MembersPortal): Promise<string> {
  const database = store.authDatabase
  if (database.kind === 'mongodb') return await dumpMongo(database.get().db)
  const { db } = database
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { readonly name: string }[]
  return JSON.stringify(tables.map(({ name }) => db.prepare(`SELECT * FROM "${name}"`).all()))
}

async function dumpMongo(db: ReturnType<MongoClient['db']>): Promise<string> {
  const collections = await db.collections()
  return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())))
}
