import { beforeAll, describe, expect, test } from 'vitest'
import { recordAudit } from '../../src/accounts/audit.ts'
import { MAX_FORMS_PER_MINUTE } from '../../src/portal/form-limit.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { type Member, type MembersPortal, openPortalForMembers } from './members.ts'

const kind = await findAppKind('audit of keys')
describe.skipIf(kind.isMissing).each([kind])('what is recorded about keys, on $name', ({ open }) => {
  let portal: MembersPortal
  let admin: Member
  beforeAll(async () => {
    portal = await openPortalForMembers({ stores: await open() })
    admin = await portal.joinAsAdmin()
  })

  test.each<[string, string, Record<string, string>, 'active' | 'revoked', string[]]>([
    ['a renamed key', '', { action: 'rename', name: 'Website' }, 'active', ['key_renamed']],
    ['a name that is not valid', '', { action: 'rename', name: '' }, 'active', []],
    [
      'a rotation of a page that is out of date',
      '',
      { action: 'rotate', secret: 'none', overlap: '24h' },
      'active',
      [],
    ],
    ['a revoked key', '/revoke', {}, 'active', ['key_revoked']],
    ['a key that was revoked before', '/revoke', {}, 'revoked', []],
    ['a change of a revoked key', '', { action: 'rename', name: 'Other' }, 'revoked', []],
  ])('%s', async (_, path, form, state, recorded) => {
    const { person, account } = await portal.join()
    const [{ id }] = await portal.store.keys.listAccountKeys(account.id)
    if (state === 'revoked') await portal.store.keys.revokeKey(id, new Date(portal.clock.now))
    const list = () => portal.store.audit.listAudit({ account: account.id, limit: 100 })
    const before = await list()
    await person.post(`/account/keys/${id}${path}`, form)
    const added = (await list()).slice(0, -before.length)
    expect(added.map(({ action }) => action)).toEqual(recorded)
    for (const { actor, key, detail } of added) expect([actor, key, detail]).toEqual([account.id, id, null])
  })

  const MINUTES = 4

  test('renamings are limited, merged, and displace nothing', async () => {
    const { person, account } = await portal.join()
    await portal.store.accounts.setAccountPlan(account.id, 'pro')
    const at = new Date(portal.clock.now)
    for (const action of ['plan_changed', 'account_verified'] as const)
      await recordAudit(portal.store, { at, action, account: account.id, command: 'c' }, portal.parts.log)
    const { now } = portal.clock
    const statuses: number[] = []
    for (let minute = 0; minute < MINUTES; minute++) {
      portal.clock.now += 60_000
      const forms = Array.from({ length: MAX_FORMS_PER_MINUTE + 1 }, (_, n) => ({ name: `Name ${minute} ${n}` }))
      const answers = await Promise.all(forms.map((form) => person.post('/account/settings/name', form)))
      statuses.push(...answers.map(({ status }) => status))
    }
    portal.clock.now = now
    const count = (status: number): number => statuses.filter((one) => one === status).length
    expect([count(303), count(429)]).toEqual([MINUTES * MAX_FORMS_PER_MINUTE, MINUTES])
    const entries = await portal.store.audit.listAudit({ account: account.id })
    const renamings = entries.filter(({ action }) => action === 'account_renamed')
    expect(renamings.length).toBeLessThanOrEqual(2) // One for each day.
    expect(renamings.reduce((sum, entry) => sum + entry.count, 0)).toBe(count(303))
    const others = entries.map(({ action }) => action).filter((action) => action !== 'account_renamed')
    expect(others.toSorted()).toEqual(['account_created', 'account_verified', 'key_created', 'plan_changed'])
    const { text } = await admin.person.get(`/admin/audit?account=${account.id}`)
    expect(text).toMatch(/Name changed \d+ times since [\d:]{8} UTC/)
  })

  test('the page for administrators names the command and the machine', async () => {
    const { account } = await portal.join()
    const entry = { at: new Date(portal.clock.now), actor: null, account: account.id, key: 'key_1', detail: null }
    await portal.store.audit.addAudit({ ...entry, action: 'key_deleted', command: 'keys delete', machine: 'node-7' })
    const { text } = await admin.person.get(`/admin/audit?account=${account.id}`)
    expect(text).toMatch(/Key deleted.*<code>keys delete<\/code>.*node-7/s)
  })

  test('a key that expires shows its state, and cannot scan after its expiry', async () => {
    const { person, account } = await portal.join()
    const [{ id }] = await portal.store.keys.listAccountKeys(account.id)
    const { now } = portal.clock
    for (const [expiresAt, state, status, canScan] of [
      [new Date(now + 1000), 'Active until', 'active', true],
      [new Date(now), 'Expired on', 'expired', false],
    ] as const) {
      await portal.store.keys.changeKey(id, { expiresAt })
      expect((await person.get(`/account/keys/${id}`)).text).toContain(state)
      expect((await admin.person.get(`/admin/accounts/${account.id}`)).text).toMatch(new RegExp(`>${status}<`))
      expect((await person.get('/scan')).text.includes('name="url"')).toBe(canScan)
    }
  })

  test('created and rotated keys', async () => {
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
