import { beforeAll, describe, expect, test } from 'vitest'
import { appKinds } from '../http/app-kinds.ts'
import { ADMIN_EMAIL, type Member, type MembersPortal, openPortalForMembers } from './members.ts'

describe.each(await appKinds('audit of keys'))('what is recorded about keys, on $name', ({ isMissing, open }) => {
  let portal: MembersPortal
  let member: Member
  let page: string
  beforeAll(async () => {
    if (isMissing) return
    portal = await openPortalForMembers({ stores: await open() })
    member = await portal.join()
    const [{ id }] = await portal.store.keys.listAccountKeys(member.account.id)
    page = `/account/keys/${id}`
  })

  test.skipIf(isMissing).each([
    ['a renamed key', '', { action: 'rename', name: 'Website' }, ['key_renamed']],
    ['a name that is not valid', '', { action: 'rename', name: '' }, []],
    ['a rotation of a page that is out of date', '', { action: 'rotate', secret: 'none', overlap: '24h' }, []],
    ['a revoked key', '/revoke', {}, ['key_revoked']],
    ['a key that was revoked before', '/revoke', {}, []],
    ['a change of a revoked key', '', { action: 'rename', name: 'Other' }, []],
  ])('%s', async (_, path, form, recorded) => {
    const { person, account } = member
    const list = () => portal.store.audit.listAudit({ account: account.id, limit: 100 })
    const before = await list()
    await person.post(page + path, form)
    const added = (await list()).slice(0, -before.length)
    expect(added.map(({ action }) => action)).toEqual(recorded)
    for (const { actor, key, detail } of added)
      expect([actor, key, detail]).toEqual([account.id, page.split('/').pop(), null])
  })

  test.skipIf(isMissing)('the page for administrators names the command and the machine', async () => {
    const { person } = await portal.joinAsAdmin()
    const { account } = await portal.join()
    const entry = { at: new Date(portal.clock.now), actor: null, account: account.id, key: 'key_1', detail: null }
    await portal.store.audit.addAudit({ ...entry, action: 'key_deleted', command: 'keys delete', machine: 'node-7' })
    const { text } = await person.get(`/admin/audit?account=${account.id}`)
    expect(text).toMatch(/Key deleted.*<code>keys delete<\/code>.*node-7/s)
  })

  test.skipIf(isMissing)('a key that expires shows its state, and cannot scan after its expiry', async () => {
    const { person, account } = await portal.join()
    const admin = await portal.logIn(ADMIN_EMAIL)
    const [{ id }] = await portal.store.keys.listAccountKeys(account.id)
    const { now } = portal.clock
    for (const [expiresAt, state, status, canScan] of [
      [new Date(now + 1000), 'Active until', 'active', true],
      [new Date(now), 'Expired on', 'expired', false],
    ] as const) {
      await portal.store.keys.changeKey(id, { expiresAt })
      expect((await person.get(`/account/keys/${id}`)).text).toContain(state)
      expect((await admin.get(`/admin/accounts/${account.id}`)).text).toMatch(new RegExp(`>${status}<`))
      expect((await person.get('/scan')).text.includes('name="url"')).toBe(canScan)
    }
  })

  test.skipIf(isMissing)('created and rotated keys', async () => {
    const { person, account } = await portal.join()
    await portal.store.accounts.setAccountPlan(account.id, 'pro')
    const answer = await person.post('/account/keys', { name: 'Second key', revision: '' })
    expect(answer.text).toContain('spk_live_')
    const key = (await portal.store.keys.listAccountKeys(account.id)).find(({ name }) => name === 'Second key')
    const form = { action: 'rotate', secret: key?.secrets[0].lastFour ?? '', overlap: '24h' }
    expect((await person.post(`/account/keys/${key?.id}`, form)).status).toBe(200)
    const [last, first] = await portal.store.audit.listAudit({ account: account.id, limit: 2 })
    expect([first, last].map(({ action, key: id }) => [action, id])).toEqual([
      ['key_created', key?.id],
      ['key_rotated', key?.id],
    ])
  })
})
