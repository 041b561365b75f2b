import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { Browser, findAccountStores, newEmail, openTestAccounts, PASSWORD, readCode } from './open-accounts.ts'

let server: MailServer
beforeAll(async () => {
  server = await startMailServer()
})
afterAll(() => server.stop())

const kind = findAccountStores('invitations')
describe.skipIf(kind.isMissing).each([kind])('invitations on $name', ({ open }) => {
  let store: GuardedStore
  let accounts: Accounts
  beforeAll(async () => {
    store = await open()
    accounts = await openTestAccounts(store, { signUp: 'invite' })
  })
  afterAll(() => store.close())

  let count = 0
  /** Creates an invitation. Returns its token and its hash. */
  async function invite(expiresAt = new Date(Date.now() + 60_000)): Promise<{ token: string; hash: string }> {
    const token = `invitation ${count++}`
    const hash = createHash('sha256').update(token).digest('hex')
    await store.accounts.createInvite({ hash, expiresAt })
    return { token, hash }
  }
  const isLeft = async (hash: string): Promise<boolean> => (await store.accounts.findInvite(hash, new Date())) !== null
  const signUp = (token: string | null, email = newEmail(), password = PASSWORD, node = accounts): Promise<string> =>
    readCode(node.register({ name: 'Ann', email, password, invite: token }, new Browser().visitor))

  test.each<[string, string | null]>([
    ['none', null],
    ['an empty one', ''],
    ['an unknown one', 'x'],
  ])('%s is rejected', async (_, token) => {
    expect(await signUp(token)).toBe('invalid_invite')
  })

  test('an expired one is rejected', async () => {
    const now = Date.now()
    const { token } = await invite(new Date(now - 1))
    expect(await signUp(token)).toBe('invalid_invite')
  })

  test('one is used once', async () => {
    const { token, hash } = await invite()
    expect(await signUp(token)).toBe('none')
    expect(await isLeft(hash)).toBe(false)
    expect(await signUp(token)).toBe('invalid_invite')
  })

  test('a sign-up that fails does not use it', async () => {
    const { token, hash } = await invite()
    const { token: other } = await invite()
    const email = newEmail()
    await signUp(other, email)
    expect(await signUp(token, email)).toBe('address_taken')
    expect(await signUp(token, newEmail(), 'short')).toBe('short_password')
    expect(await signUp(token, 'x')).toBe('invalid_email')
    expect(await isLeft(hash)).toBe(true)
    expect(await signUp(token)).toBe('none')
  })

  test('of simultaneous sign-ups with one invitation exactly one succeeds', async () => {
    const { token } = await invite()
    const emails = Array.from({ length: 6 }, () => newEmail())
    const codes = await Promise.all(emails.map((email) => signUp(token, email)))
    expect(codes.toSorted()).toEqual([...Array(5).fill('invalid_invite'), 'none'])
    const found = await Promise.all(emails.map((email) => store.accounts.findAccount(email)))
    expect(found.filter((account) => account !== null)).toHaveLength(1)
  })

  test('after an interrupted sign-up only its address can use it', async () => {
    const { token, hash } = await invite()
    const email = newEmail()
    const broken = await openTestAccounts(
      { ...store, isUp: true, accounts: { ...store.accounts, useInvite: () => Promise.reject(new Error('gone')) } },
      { signUp: 'invite' },
    )
    await expect(signUp(token, email, PASSWORD, broken)).rejects.toThrow('gone')
    expect(await isLeft(hash)).toBe(true)
    expect(await signUp(token)).toBe('invalid_invite')
  })

  test('with e-mail, it is used when the link is opened', async () => {
    const mailing = await openTestAccounts(store, { signUp: 'invite', smtpUrl: server.url })
    const verify = async (email: string): Promise<string> =>
      readCode(mailing.verify({ token: await server.nextToken(email), password: PASSWORD }, new Browser().visitor))
    const { token, hash } = await invite()
    const [first, second] = [newEmail(), newEmail()]
    await signUp(token, first, PASSWORD, mailing)
    await signUp(token, second, PASSWORD, mailing)
    expect(await isLeft(hash)).toBe(true)
    expect(await verify(second)).toBe('none')
    expect(await verify(first)).toBe('invalid_invite')
    expect(await store.accounts.findAccount(first)).toBeNull()
  })

  test('where sign-up is off, none is accepted; where it is open, none is needed', async () => {
    const { token, hash } = await invite()
    const off = await openTestAccounts(store, { signUp: 'off' })
    expect(await signUp(token, newEmail(), PASSWORD, off)).toBe('sign_up_off')
    const open = await openTestAccounts(store, { signUp: 'open' })
    expect(await signUp(token, newEmail(), PASSWORD, open)).toBe('none')
    expect(await isLeft(hash)).toBe(true)
  })
})
