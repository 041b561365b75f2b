import { hostname } from 'node:os'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildKey } from '../../src/keys/key.ts'
import type { Account } from '../../src/store/account-types.ts'
import { scanOf, type TestKey } from '../http/app-fixture.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { addAccounts } from './many-accounts.ts'
import { ADMIN_EMAIL, type Member, type MembersPortal, openPortalForMembers, SECOND_ADMIN_EMAIL } from './members.ts'
import { readText } from './people.ts'
import { PASSWORD } from './portal-fixture.ts'

/** Nodes with a shared store cache a key for 4 s. More requests would exceed the plan's limit per minute. */
const POLL = { timeout: 30_000, interval: 1000 }

const kind = await findAppKind('admin')
describe.skipIf(kind.isMissing).each([kind])('administration on $name', ({ open }) => {
  let portal: MembersPortal
  let admin: Member
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open() })
    admin = await portal.joinAsAdmin()
  })

  const get = (url: string) => admin.person.get(url)
  const act = ({ id }: Pick<Account, 'id'>, action: string, form: Record<string, string> = {}) =>
    admin.person.post(`/admin/accounts/${id}/${action}`, form)
  const find = ({ id }: Account): Promise<Account | null> => portal.store.accounts.getAccount(id)
  /** The entries since the sign-up, newest first. */
  const listEntries = async ({ id }: Account) =>
    (await portal.store.audit.listAudit({ account: id, limit: 100 })).slice(0, -2)

  /** Creates another key of an account. */
  async function addKey({ id, plan }: Account): Promise<TestKey> {
    const now = new Date(portal.clock.now)
    const parts = { name: 'Second key', email: 'x@example.org', account: id, plan, revision: null, now }
    const made = buildKey({ ...parts, pepper: portal.parts.pepper })
    expect(await portal.store.keys.createAccountKey(made.key, 9)).toBe(true)
    return made
  }

  const scan = async ({ secret }: TestKey): Promise<number> =>
    (await portal.call({ url: scanOf('https://example.org'), secret })).status

  describe('an account', () => {
    test('is shown with its keys and their usage', async () => {
      const { account } = await portal.join({ name: '<b>Carla</b>' })
      const { key } = await addKey(account)
      const at = new Date(portal.clock.now)
      const day = at.toISOString().slice(0, 10)
      const charge = { counter: key.id, day, quota: 9999, at }
      await Promise.all(Array.from({ length: 1234 }, () => portal.store.usage.charge(charge)))
      const { status, text } = await get(`/admin/accounts/${account.id}`)
      expect(status).toBe(200)
      for (const part of [account.email, account.id, key.id, key.secrets[0].lastFour, '1,234', 'Default key'])
        expect(text).toContain(part)
      expect(text).toContain('&lt;b>Carla&lt;/b>')
      expect(text).not.toContain(key.secrets[0].hash)
      const list = await get(`/admin?search=${encodeURIComponent(account.email)}`)
      expect(list.text).toContain('1,234')
    })

    test('is shown with its slots, which contain the requests of all keys that were in them', async () => {
      const { account } = await portal.join()
      const [first] = await portal.store.keys.listAccountKeys(account.id)
      const at = new Date(portal.clock.now)
      const charge = { counter: first.counter, day: at.toISOString().slice(0, 10), quota: 9, at }
      for (let i = 0; i < 3; i++) await portal.store.usage.charge(charge)
      await portal.store.keys.revokeKey(first.id, at)
      const { text } = await get(`/admin/accounts/${account.id}`)
      expect(readText(text)).toMatch(/Slots Slot Key Requests in \d{4}-\d\d Left 1 none 3/)
      const key = await addKey(account)
      const after = readText((await get(`/admin/accounts/${account.id}`)).text)
      expect(after).toMatch(/Slots Slot Key Requests in \d{4}-\d\d Left 1 Second key 3 97/)
      for (const [id, state] of [
        [first.id, 'revoked'],
        [key.key.id, 'active'],
      ])
        expect(after).toMatch(new RegExp(`${id} .{4} [\\d-]+ 1 ${state}`))
      expect((await get(`/admin?search=${encodeURIComponent(account.email)}`)).text).toContain('>3</td>')
    })

    test('gets another plan together with its keys', async () => {
      const { account } = await portal.join()
      const answer = await act(account, 'plan', { plan: 'pro' })
      expect(answer.location).toBe(`/admin/accounts/${account.id}?done=plan`)
      expect((await get(answer.location ?? '')).text).toContain('The plan of the account and of its keys was changed.')
      expect((await find(account))?.plan).toBe('pro')
      expect((await portal.store.keys.listAccountKeys(account.id)).map(({ plan }) => plan)).toEqual(['pro'])
      const entry = {
        action: 'plan_changed',
        actor: admin.account.id,
        account: account.id,
        key: null,
        detail: 'pro',
        command: null,
        ...{ machine: hostname(), count: 1, firstAt: null },
      }
      expect(await listEntries(account)).toEqual([{ at: new Date(portal.clock.now), ...entry }])
      expect((await act(account, 'plan', { plan: 'gold' })).status).toBe(400)
      expect((await find(account))?.plan).toBe('pro')
    })

    test('is suspended with its keys and sessions, and resumed', async () => {
      const { person, account } = await portal.join()
      const key = await addKey(account)
      expect(await scan(key)).toBe(200)
      expect((await act(account, 'suspend')).location).toBe(`/admin/accounts/${account.id}?done=suspended`)
      await expect.poll(() => scan(key), POLL).toBe(401)
      expect((await person.get('/account/settings')).location).toMatch(/^\/login/)
      await expect(portal.logIn(account.email)).rejects.toThrow()
      expect((await get(`/admin/accounts/${account.id}`)).text).toContain('Suspended since')
      expect((await act(account, 'resume')).location).toBe(`/admin/accounts/${account.id}?done=resumed`)
      await expect.poll(() => scan(key), POLL).toBe(200)
      await portal.logIn(account.email)
      const actions = (await listEntries(account)).map(({ action }) => action)
      expect(actions).toEqual(['account_resumed', 'account_suspended'])
    })

    test('of the operator who asks cannot be suspended', async () => {
      const answer = await act(admin.account, 'suspend')
      expect(answer.status).toBe(409)
      expect(answer.text).toContain('You cannot suspend your own account.')
      expect(await find(admin.account)).toEqual(admin.account)
      const { text } = await get(`/admin/accounts/${admin.account.id}`)
      expect(text).toContain('This is your own account.')
      expect(text).not.toContain('/suspend"')
    })

    test('is verified by hand', async () => {
      const { account } = await portal.join()
      expect((await get(`/admin/accounts/${account.id}`)).text).not.toContain('ADMIN_EMAILS')
      expect((await act(account, 'verify', { email: account.email })).location).toBe(
        `/admin/accounts/${account.id}?done=verified`,
      )
      expect(await find(account)).toEqual({ ...account, isVerified: true })
      expect((await get(`/admin/accounts/${account.id}`)).text).not.toContain('/verify"')
      expect((await listEntries(account)).map(({ action }) => action)).toEqual(['account_verified'])
    })

    test('with an operator’s address is verified only after a warning', async () => {
      const { person, account } = await portal.joinByCommand(SECOND_ADMIN_EMAIL)
      expect((await person.get('/admin')).status).toBe(404)
      const { text } = await get(`/admin/accounts/${account.id}`)
      for (const part of ['The address is in ADMIN_EMAILS', 'was made in a way that is not recorded'])
        expect(text).toContain(part)
      await act(account, 'verify', { email: SECOND_ADMIN_EMAIL })
      // The former session has ended: it may be that of another person.
      expect((await person.get('/account')).location).toMatch(/^\/login/)
      expect((await (await portal.logIn(SECOND_ADMIN_EMAIL)).get('/admin')).status).toBe(200)
    })

    test('whose address has changed since the page was opened is not verified', async () => {
      const { person, account } = await portal.join()
      const { text } = await get(`/admin/accounts/${account.id}`)
      expect(text).toMatch(/<time[^>]*>[^<]*<\/time>: it was made by a sign-up in the portal\./)
      const form = { email: `other-${account.email}`, 'email-password': PASSWORD }
      expect((await person.post('/account/settings/email', form)).status).toBe(303)
      const answer = await act(account, 'verify', { email: account.email })
      expect([answer.status, (await find(account))?.isVerified]).toEqual([409, false])
      expect((await get(`/admin/accounts/${account.id}`)).text).toContain(': it changed its address in the portal.')
    })

    test('gets a key that belongs to no account', async () => {
      const { account } = await portal.join()
      const { key } = await portal.newKey({ plan: 'pro' })
      const answer = await act(account, 'keys', { key: ` ${key.id} ` })
      expect(answer.location).toBe(`/admin/accounts/${account.id}?done=attached`)
      expect(await portal.store.keys.getKey(key.id)).toEqual({ ...key, account: account.id, plan: 'free' })
      const [entry] = await listEntries(account)
      expect(entry).toMatchObject({ action: 'key_attached', actor: admin.account.id, key: key.id })
      const { account: other } = await portal.join()
      for (const id of [key.id, 'key_0', '']) {
        const refused = await act(other, 'keys', { key: id })
        expect(refused.status).toBe(422)
        expect(refused.text).toContain('No key without an account has this id')
      }
      expect((await portal.store.keys.getKey(key.id))?.account).toBe(account.id)
    })

    test.each(['plan', 'suspend', 'resume', 'verify', 'keys'])('that does not exist gets 404: %s', async (action) => {
      for (const id of ['acc_0', '%00', '$ne'])
        expect((await act({ id }, action, { plan: 'pro', key: 'key_0' })).status).toBe(404)
    })
  })

  describe('the operator', () => {
    test.each([
      ['another address', 'other@example.org', 'Add it to ADMIN_EMAILS first.'],
      ['an address that would not be verified', SECOND_ADMIN_EMAIL, 'Set SMTP_URL first.'],
    ])('cannot lose the access by accident: %s', async (_, email, sentence) => {
      const answer = await admin.person.post('/account/settings/email', { email, 'email-password': PASSWORD })
      expect(answer.status).toBe(422)
      expect(answer.text).toContain(sentence)
      expect(await find(admin.account)).toEqual(admin.account)
    })
  })

  describe('the service', () => {
    afterEach(() => portal.store.settings.setSwitches({ maintenance: false, apiOff: false }))

    const OFF = { maintenance: false, apiOff: false }
    const ON = { maintenance: true, apiOff: true }
    test.each([
      ['maintenance_on', OFF, { ...OFF, maintenance: true }, 'Every request to the API gets 503 “maintenance”.'],
      ['api_off', OFF, { ...OFF, apiOff: true }, 'Every request to the API gets 503 “unavailable”.'],
      ['maintenance_off', ON, { ...ON, maintenance: false }, 'Maintenance is off'],
      ['api_on', ON, { ...ON, apiOff: false }, 'The API is on'],
    ])('%s', async (turn, before, switches, shown) => {
      await portal.store.settings.setSwitches(before)
      const answer = await admin.person.post('/admin/service/switches', { turn })
      expect(answer.location).toBe('/admin/service?done=switch')
      expect(await portal.store.settings.switches()).toEqual(switches)
      expect((await get('/admin/service')).text).toContain(shown)
      const [entry] = await portal.store.audit.listAudit({ account: null, limit: 1 })
      expect(entry).toMatchObject({ action: turn, actor: admin.account.id, account: null })
    })

    test.each(['', 'on', 'toString'])('a switch that does not exist gets 400: %j', async (turn) => {
      expect((await admin.person.post('/admin/service/switches', { turn })).status).toBe(400)
    })

    test('its status is that of the metrics', async () => {
      const { text } = await get('/admin/service')
      for (const part of ['1.2.3', portal.parts.rules.current.version, process.version, 'Scans waiting'])
        expect(text).toContain(part)
    })

    test('the newest entries of all accounts, or of one, are shown', async () => {
      const { account } = await portal.join()
      await act(account, 'plan', { plan: 'starter' })
      await admin.person.post('/admin/service/switches', { turn: 'maintenance_on' })
      const all = await get('/admin/audit')
      const one = await get(`/admin/audit?account=${account.id}`)
      for (const { text } of [all, one])
        for (const part of ['Plan changed', 'starter', account.id, admin.account.id]) expect(text).toContain(part)
      expect(all.text).toContain('Maintenance turned on')
      expect(one.text).not.toContain('Maintenance turned on')
      for (const { email } of [account, admin.account])
        expect(one.text.replace(/<header.*?<\/header>/s, '')).not.toContain(email)
    })
  })
})

// Data of its own: the servers of a kind keep theirs.
const listKind = await findAppKind('admin: list of accounts')
describe.skipIf(listKind.isMissing).each([listKind])('the list of accounts on $name', ({ open }) => {
  const COUNT = 10_000
  let portal: MembersPortal
  let admin: Member
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open() })
    await addAccounts(portal.store, COUNT)
    admin = await portal.joinAsAdmin()
  }, 60_000)

  /** The addresses on a page, in order. */
  async function list(query: string): Promise<string[]> {
    const { status, text } = await admin.person.get(`/admin${query}`)
    expect(status).toBe(200)
    return [...text.matchAll(/<a href="\/admin\/accounts\/[^"]+">([^<]+)<\/a>/g)].map(([, email]) => email)
  }

  const name = (n: number): string => `user-${String(n).padStart(5, '0')}@example.org`
  const range = (first: number, count: number): string[] => Array.from({ length: count }, (_, n) => name(first - n))

  test.each([
    ['', [ADMIN_EMAIL, ...range(9999, 24)]],
    ['?page=2', range(9975, 25)],
    ['?page=401', [name(0)]],
    ['?page=0', [ADMIN_EMAIL, ...range(9999, 24)]],
    ['?page=-1', [ADMIN_EMAIL, ...range(9999, 24)]],
    ['?page=1e3', [ADMIN_EMAIL, ...range(9999, 24)]],
    ['?search=user-0123', range(1239, 10)],
    ['?search=USER-01234%40', [name(1234)]],
    ['?search=user-&page=3', range(9949, 25)],
    ['?search=user_0', []],
    ['?search=%25', []],
    ['?search=.*', []],
    ['?search=olga', [ADMIN_EMAIL]],
  ])('%s', async (query, expected) => expect(await list(query)).toEqual(expected))

  test('a page behind the last one leads to the last one', async () => {
    expect((await admin.person.get('/admin?page=999')).location).toBe('/admin?page=401')
    expect((await admin.person.get('/admin?search=user-0123&page=2')).location).toBe('/admin?search=user-0123')
  })

  test('is read with one call of the store', async () => {
    const before = portal.answered('listAccounts')
    await list('?page=100')
    expect(portal.answered('listAccounts')).toBe(before + 1)
  })
})
