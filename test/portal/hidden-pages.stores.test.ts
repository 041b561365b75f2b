import type { InjectOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { PAGES } from '../../src/portal/routes/pages.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { type MembersPortal, openPortalForMembers, SECOND_ADMIN_EMAIL } from './members.ts'
import { HOST } from './portal-fixture.ts'

const FORM = { origin: `http://${HOST}`, 'content-type': 'application/x-www-form-urlencoded' }

/** Kinds of requests that the pages themselves answer in different ways. */
const REQUESTS: readonly (readonly [string, InjectOptions])[] = [
  ['GET', { method: 'GET' }],
  ['GET of a program', { method: 'GET', headers: { accept: 'application/json' } }],
  ['HEAD', { method: 'HEAD' }],
  ['POST', { method: 'POST', headers: FORM, payload: 'a=b' }],
  ['POST of a program', { method: 'POST', headers: { ...FORM, accept: '*/*' }, payload: 'a=b' }],
  ['POST of another origin', { method: 'POST', headers: { ...FORM, origin: 'https://evil.example' }, payload: 'a=b' }],
  ['POST without an origin', { method: 'POST' }],
  ['POST of JSON', { method: 'POST', headers: { ...FORM, 'content-type': 'application/json' }, payload: '{"a' }],
  ['POST of too much', { method: 'POST', headers: FORM, payload: `a=${'b'.repeat(100_000)}` }],
  ['PUT', { method: 'PUT', headers: FORM, payload: 'a=b' }],
  ['DELETE', { method: 'DELETE' }],
  ['OPTIONS', { method: 'OPTIONS' }],
  ['a query', { method: 'GET', query: { page: '2' } }],
]

const kind = await findAppKind('hidden pages')
describe.skipIf(kind.isMissing).each([kind])('administration on $name', ({ open }) => {
  let portal: MembersPortal
  let cookies: Readonly<Record<string, string>>
  let id: string
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open() })
    const { person, account } = await portal.join()
    const unverified = await portal.joinByCommand(SECOND_ADMIN_EMAIL)
    const suspended = await portal.join()
    await portal.store.accounts.suspendAccount(suspended.account.id, new Date())
    id = account.id
    cookies = {
      'a visitor': '',
      'an account': person.cookie,
      'an operator whose address is not confirmed': unverified.person.cookie,
      'a suspended account': suspended.person.cookie,
    }
  })

  /** A response without what differs between any two requests. */
  async function send(url: string, options: InjectOptions, cookie: string) {
    const headers = { host: HOST, accept: 'text/html', ...options.headers, ...(cookie !== '' && { cookie }) }
    const { statusCode, headers: received, payload } = await portal.fastify.inject({ ...options, url, headers })
    const { date: _, 'x-request-id': requestId, ...rest } = received
    // The inject of Fastify shows the body of some responses to HEAD, which Node does not send.
    const body = options.method === 'HEAD' ? '' : payload.replaceAll(String(requestId), 'request id')
    return { statusCode, headers: rest, body }
  }

  const paths = [...new Set(PAGES.filter(({ needs }) => needs === 'admin').map(({ path }) => path))]
  test.each([...paths, '/admin/'])('%s is like any path that does not exist', async (path) => {
    const url = path.replace(':id', id)
    const unknown = url.replace('/admin', '/nowhere')
    for (const [role, cookie] of Object.entries(cookies))
      for (const [name, options] of REQUESTS) {
        const expected = await send(unknown, options, cookie)
        expect(await send(url, options, cookie), `${name}, ${role}`).toEqual({
          ...expected,
          headers: JSON.parse(JSON.stringify(expected.headers).replaceAll('/nowhere', '/admin')),
        })
      }
  })

  test('operators get the pages, and the answers to wrong requests', async () => {
    const { person } = await portal.joinAsAdmin()
    const statuses = []
    for (const [, options] of REQUESTS) statuses.push((await send('/admin', options, person.cookie)).statusCode)
    expect(statuses).toEqual([200, 200, 200, 405, 405, 403, 403, 405, 413, 405, 405, 204, 303])
    expect((await person.post('/admin/service/switches')).status).toBe(400)
  })
})
