import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { BatchRunner } from '../../src/batches/batch-service.ts'
import { PAGES } from '../../src/portal/routes/pages.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { ADMIN_EMAIL, type Member, type MembersPortal, openPortalForMembers, SECOND_ADMIN_EMAIL } from './members.ts'
import { type Person, postList } from './person.ts'
import { HOST } from './portal-fixture.ts'

/**
 * Roles of clients. `owner` owns the key, the scan or the account in the path, and the others do not. `unverified` has
 * an operator's address and has not shown that it is theirs. `suspended` had a session before.
 */
const ROLES = ['visitor', 'owner', 'other', 'unverified', 'admin', 'suspended'] as const
type Role = (typeof ROLES)[number]

/** The status of a response; `login` is a redirect to the log-in page. */
type Expected = number | 'login'

/** Everyone gets the same. */
const everyone = (status: Expected): readonly Expected[] => ROLES.map(() => status)
/** Only people with a session get `status`. */
const members = (status: Expected): readonly Expected[] => ['login', status, status, status, status, 'login']
/** Only the owner gets `status`; for other people with a session the page does not exist, not even for operators. */
const owner = (status: Expected): readonly Expected[] => ['login', status, 404, 404, 404, 'login']
/** Only operators get `status`; for everyone else the page does not exist. */
const admins = (status: Expected): readonly Expected[] => [404, 404, 404, 404, status, 404]

/**
 * Page → the status that each role gets, in the order of `ROLES`. Forms are posted without any field: 422 and 400 are those of
 * people who may post them.
 */
const EXPECTED: Readonly<Record<string, readonly Expected[]>> = {
  'GET /': everyone(200),
  'GET /catalogue': everyone(200),
  'GET /catalogue/:kind': everyone(404), // The tests put an id there.
  'GET /catalogue/:kind/:slug': everyone(404),
  'GET /signup': [200, 303, 303, 303, 303, 200],
  'POST /signup': everyone(422),
  'GET /login': [200, 303, 303, 303, 303, 200],
  'POST /login': everyone(422),
  'POST /login/link': everyone(303), // Without e-mail it leads to the page that says what to do instead.
  'GET /forgot': everyone(200),
  'POST /forgot': everyone(200), // Without e-mail the page says what to do instead.
  'GET /reset': everyone(400),
  'POST /reset': everyone(422),
  'GET /verify': everyone(400),
  'POST /verify': everyone(422),
  'GET /goodbye': everyone(200),
  'GET /account': members(200),
  'GET /account/usage.csv': members(200),
  'GET /account/keys': members(200),
  'POST /account/keys': members(422),
  'GET /account/keys/:id': owner(200),
  'POST /account/keys/:id': owner(422),
  'GET /account/keys/:id/revoke': owner(200),
  'GET /scan': members(200),
  'POST /scan': members(400),
  'GET /scan/:id': owner(200),
  'GET /batches': members(200),
  'POST /batches': members(400), // The form of these tests contains no file.
  'GET /batches/:id': owner(200),
  'GET /batches/:id/report': owner(200),
  'GET /batches/:id/results': owner(200),
  'GET /batches/:id/results.csv': owner(200),
  'GET /batches/:id/results.ndjson': owner(200),
  'POST /batches/:id/cancel': owner(303),
  'POST /batches/:id/retry': owner(409), // The batch was cancelled.
  'GET /account/settings': members(200),
  'POST /account/settings/name': members(422),
  'POST /account/settings/email': members(422),
  'POST /account/settings/password': members(422),
  'POST /account/settings/sessions/end': members(303),
  'GET /account/export.json': members(200),
  'GET /account/delete': members(200),
  'POST /account/delete': members(422),
  'GET /admin': admins(200),
  'GET /admin/accounts/:id': admins(200),
  'POST /admin/accounts/:id/plan': admins(400),
  'POST /admin/accounts/:id/keys': admins(422),
  'GET /admin/audit': admins(200),
  'GET /admin/service': admins(200),
  'POST /admin/service/switches': admins(400),
  'POST /account/keys/:id/revoke': owner(303),
  'POST /account/settings/sessions/end-others': members(303),
  // Both end the sessions of the owner.
  'POST /admin/accounts/:id/verify': admins(303),
  'POST /admin/accounts/:id/suspend': admins(303),
  'POST /admin/accounts/:id/resume': admins(303),
  'POST /logout': everyone(303),
}

/** Runs no batch, so that the batch of these tests is still waiting when it is cancelled. */
const IDLE_RUNNER: BatchRunner = { unavailable: null, wake: () => {} }

/** Pages that end a session, revoke the key, or cancel the batch, or need a cancelled one: other tests need them as they are. */
const CHANGING: ReadonlySet<string> = new Set([
  'POST /batches/:id/cancel',
  'POST /batches/:id/retry',
  'POST /account/keys/:id/revoke',
  'POST /account/settings/sessions/end-others',
  'POST /admin/accounts/:id/verify',
  'POST /admin/accounts/:id/suspend',
  'POST /admin/accounts/:id/resume',
  'POST /logout',
])

/** Queries of pages that need one. */
const QUERIES: Readonly<Record<string, string>> = { '/account/usage.csv': `?year=${new Date().getUTCFullYear()}` }

/** On servers, one page of each way to read a session or an object is enough: the others differ in what the process does. */
const ON_SERVERS: ReadonlySet<string> = new Set([
  'GET /account',
  'GET /account/keys/:id',
  'POST /account/keys/:id/revoke',
  'GET /batches/:id',
  'GET /admin',
  'GET /admin/accounts/:id',
  'POST /admin/accounts/:id/suspend',
  'POST /logout',
])
const isTried = (page: string): boolean => inject('stores') === 'embedded' || ON_SERVERS.has(page)

test('every page has an expected status for every role', () => {
  expect(Object.keys(EXPECTED).sort()).toEqual(PAGES.map(({ method, path }) => `${method} ${path}`).sort())
  for (const statuses of Object.values(EXPECTED)) expect(statuses).toHaveLength(ROLES.length)
})

const kind = await findAppKind('authorization')
describe.skipIf(kind.isMissing).each([kind])('who may open which page, on $name', ({ open }) => {
  let portal: MembersPortal
  let scene: Scene
  /** Browsers of the two accounts that all scenes share. */
  const loggedIn = new Map<Role, Person>()
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open(), parts: { batchRunner: IDLE_RUNNER } })
    await portal.joinAsAdmin()
    await portal.joinByCommand(SECOND_ADMIN_EMAIL)
    scene = await openScene(portal, loggedIn)
  })

  const adminPaths = PAGES.filter(({ method, path, needs }) => needs === 'admin' && isTried(`${method} ${path}`)).map(
    ({ path }) => path,
  )
  test.each([...new Set(adminPaths)])('%s is hidden whatever the method', async (path) => {
    const url = path.replace(':id', scene.ids[path.split('/:id')[0]])
    const send = async (role: Role, method: 'POST' | 'PUT' | 'OPTIONS'): Promise<readonly [number, unknown]> => {
      const { cookie } = await scene.enter(role)
      const headers = { host: HOST, origin: `http://${HOST}`, accept: 'text/html', cookie }
      const reply = await portal.fastify.inject({ method, url, headers })
      return [reply.statusCode, reply.headers.allow]
    }
    for (const role of ['visitor', 'owner', 'unverified', 'suspended'] as const)
      for (const method of ['PUT', 'OPTIONS'] as const) expect(await send(role, method)).toEqual([404, undefined])
    if (path === '/admin') expect(await send('owner', 'POST')).toEqual([404, undefined])
    expect(await send('admin', 'PUT')).toEqual([405, expect.stringMatching(/^(?:GET|POST)\b/)])
  })

  const rows = Object.entries(EXPECTED)
    .filter(([page]) => isTried(page))
    .flatMap(([page, statuses]) => statuses.map((status, i) => [page, ROLES[i], status] as const))
  test.each(rows)('%s for %s: %s', async (page, role, expected) => {
    const [method, path] = page.split(' ')
    const own = CHANGING.has(page) ? await openScene(portal, loggedIn) : scene
    if (path === '/batches/:id/retry') await (await own.enter('owner')).post(`/batches/${own.ids['/batches']}/cancel`)
    const person = await own.enter(role)
    const url = path.replace(':id', own.ids[path.split('/:id')[0]]) + (QUERIES[path] ?? '')
    const { status, location } = await (method === 'GET' ? person.get(url) : person.post(url, own.forms[path]))
    if (CHANGING.has(page)) loggedIn.delete(role)
    const isLogin = status === 303 && location !== null && /^\/login(?:\?|$)/.test(location)
    expect(isLogin && path !== '/logout' ? 'login' : status).toBe(expected)
  })

  test('a form that a page of another origin sends changes nothing, whichever account is logged in', async () => {
    const { person, account } = await portal.join()
    for (const origin of ['https://evil.example', 'null', undefined]) {
      const reply = await portal.fastify.inject({
        method: 'POST',
        url: '/account/settings/name',
        headers: {
          host: HOST,
          cookie: person.cookie,
          'content-type': 'application/x-www-form-urlencoded',
          ...(origin !== undefined && { origin }),
        },
        payload: 'name=Mallory',
      })
      expect(reply.statusCode).toBe(403)
    }
    expect((await portal.store.accounts.getAccount(account.id))?.name).toBe(account.name)
  })

  test('an API key opens no page, and a cookie no route of the API', async () => {
    const { person } = await portal.join()
    const { secret } = await portal.newKey()
    for (const { method, path } of PAGES.filter(({ needs }) => needs !== 'nothing')) {
      const reply = await portal.fastify.inject({
        method,
        url: path.replace(':id', scene.ids[path.split('/:id')[0]]),
        headers: { host: HOST, origin: `http://${HOST}`, authorization: `Bearer ${secret}` },
      })
      expect([303, 404], `${method} ${path}`).toContain(reply.statusCode)
    }
    expect((await portal.call({ url: '/api/v1/me', headers: { cookie: person.cookie } })).status).toBe(401)
  })
})

/** The objects in the paths of pages, and the people who ask for these pages. */
interface Scene {
  /** Path → fields of a form that does nothing without them. */
  readonly forms: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The beginning of a path → the id after it. */
  readonly ids: Readonly<Record<string, string>>
  /** Opens a browser of a role. */
  readonly enter: (role: Role) => Promise<Person>
}

async function openScene(portal: MembersPortal, loggedIn: Map<Role, Person>): Promise<Scene> {
  const logIn = async (role: 'unverified' | 'admin'): Promise<Person> => {
    const person = await portal.logIn(role === 'admin' ? ADMIN_EMAIL : SECOND_ADMIN_EMAIL)
    loggedIn.set(role, person)
    return person
  }
  const owner = await portal.join()
  const other = await portal.join()
  const suspended = await portal.join()
  await portal.store.accounts.suspendAccount(suspended.account.id, new Date())
  return {
    ids: await listIds(portal, owner),
    forms: { '/admin/accounts/:id/verify': { email: owner.account.email } },
    enter: async (role) => {
      if (role === 'visitor') return portal.visit()
      if (role === 'unverified' || role === 'admin') return loggedIn.get(role) ?? logIn(role)
      return { owner, other, suspended }[role].person
    },
  }
}

/** Finds or creates the objects in the paths of pages. @returns the beginning of a path → the id after it */
async function listIds({ store }: MembersPortal, { person, account }: Member): Promise<Record<string, string>> {
  const [key] = await store.keys.listAccountKeys(account.id)
  const { location } = await person.post('/scan', { url: 'https://example.org/' })
  const batch = await postList(person, { urls: 'http://printer.lan/' })
  return {
    '/account/keys': key.id,
    '/scan': location?.split('/').pop() ?? '',
    '/batches': batch.location?.split('/').pop() ?? '',
    '/admin/accounts': account.id,
  }
}
