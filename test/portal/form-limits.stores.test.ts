import { beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { PAGES } from '../../src/portal/routes/pages.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { type Member, type MembersPortal, openPortalForMembers } from './members.ts'
import { PASSWORD } from './portal-fixture.ts'

type Form = Readonly<Record<string, string>>

const NO_FIELDS: Form = {}
const WRONG = 'not the password'

/** Form → the fields that are sent again and again, and how often they are accepted in a minute. */
const FORMS: Readonly<Record<string, readonly [fields: Form, accepted: number]>> = {
  '/signup': [{ name: 'Ann', email: 'taken@example.org', password: PASSWORD }, 10],
  '/login': [{ email: 'taken@example.org', password: WRONG }, 10],
  '/login/link': [{ email: 'taken@example.org' }, 60],
  '/logout': [NO_FIELDS, 61], // The first one ends the session, and the others count by address.
  '/forgot': [{ email: 'taken@example.org' }, 60],
  '/reset': [{ token: 'x', password: PASSWORD }, 10],
  '/verify': [{ token: 'x', password: PASSWORD }, 10],
  '/account/keys': [NO_FIELDS, 60],
  '/account/keys/:id': [{ action: 'rename', name: 'Key' }, 60],
  '/account/keys/:id/revoke': [NO_FIELDS, 60],
  '/account/settings/name': [{ name: 'Ann' }, 60],
  '/account/settings/email': [{ email: 'new@example.org', 'email-password': WRONG }, 10],
  '/account/settings/password': [{ current: WRONG, password: 'a new pass phrase' }, 10],
  '/account/settings/sessions/end': [{ id: 'x' }, 60],
  '/account/settings/sessions/end-others': [NO_FIELDS, 60],
  '/account/delete': [{ confirmation: 'delete', password: WRONG }, 10],
  '/scan': [{ url: 'https://example.org/' }, 10], // Of the plan.
  '/batches': [NO_FIELDS, 60],
  '/batches/:id/cancel': [NO_FIELDS, 60],
  '/batches/:id/retry': [NO_FIELDS, 60],
  '/admin/accounts/:id/plan': [{ plan: 'free' }, 60],
  '/admin/accounts/:id/suspend': [NO_FIELDS, 60],
  '/admin/accounts/:id/resume': [NO_FIELDS, 60],
  '/admin/accounts/:id/verify': [NO_FIELDS, 60],
  '/admin/accounts/:id/keys': [{ key: 'key_none' }, 60],
  '/admin/service/switches': [{ turn: 'none' }, 60],
}

/** On servers, one form of each limiter is enough: the forms differ in what the process does. */
const ON_SERVERS = ['/login', '/account/settings/name', '/scan', '/admin/service/switches']
const tried = Object.entries(FORMS).filter(([path]) => inject('stores') === 'embedded' || ON_SERVERS.includes(path))

test('the table contains all forms', () => {
  const forms = PAGES.filter(({ method }) => method === 'POST').map(({ path }) => path)
  expect(Object.keys(FORMS).toSorted()).toEqual(forms.toSorted())
})

const kind = await findAppKind('form limits')
describe.skipIf(kind.isMissing).each([kind])('forms on $name', ({ open }) => {
  let portal: MembersPortal
  let admin: Member
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open() })
    admin = await portal.joinAsAdmin()
    await portal.join({ email: 'taken@example.org' })
  })
  beforeEach(() => {
    portal.clock.now += 60_000
  })

  test.each(tried)('%s has a limit', async (path, [fields, accepted]) => {
    const member = await portal.join()
    const [key] = await portal.store.keys.listAccountKeys(member.account.id)
    const isAdminPage = path.startsWith('/admin')
    const url = path.replace(':id', isAdminPage ? member.account.id : key.id)
    portal.clock.now += 60_000 // The sign-up counts as a visit.
    const { person } = isAdminPage ? admin : member
    let count = 0
    let answer = await person.post(url, fields)
    for (; answer.status !== 429 && count < 100; count++) answer = await person.post(url, fields)
    expect(count).toBe(accepted)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    portal.clock.now += 86_400_000
    expect((await person.post(url, fields)).status).not.toBe(429)
  })

  test('the forms of one session do not count for another', async () => {
    const { person, account } = await portal.join()
    const other = await portal.logIn(account.email)
    for (let i = 0; i < 61; i++) await person.post('/account/settings/name', { name: '' })
    expect((await person.post('/account/settings/name', { name: 'Ann' })).status).toBe(429)
    expect((await other.post('/account/settings/name', { name: 'Ann' })).status).toBe(303)
  })

  test('a scan without a usable key has the limit of forms', async () => {
    const { person } = await portal.join()
    const statuses = []
    for (let i = 0; i < 61; i++) statuses.push((await person.post('/scan', { url: 'example.org', key: 'x' })).status)
    expect(statuses).toEqual([...Array(60).fill(409), 429])
  })
})
