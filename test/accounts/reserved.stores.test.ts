import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOperator } from '../../src/accounts/open.ts'
import type { LogIn } from '../../src/accounts/types.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { openCheapHasher } from './cheap-hasher.ts'
import { Browser, findAccountStores, newEmail, openTestAccounts, PASSWORD, readCode, SECRET } from './open-accounts.ts'

const kind = findAccountStores('addresses of operators')
describe.skipIf(kind.isMissing).each([kind])('addresses of operators on $name', ({ open }) => {
  let store: GuardedStore
  let mail: MailServer
  beforeAll(async () => {
    store = await open()
    mail = await startMailServer()
  })
  afterAll(async () => {
    await store.close()
    await mail.stop()
  })

  const register = (email: string) => ({ name: 'Mallory', email, password: PASSWORD, invite: null })

  test.each([
    ['as it is set', (email: string) => email],
    ['in other letters', (email: string) => ` ${email.toUpperCase()}`],
  ])('without e-mail, no sign-up and no change of an address takes one: %s', async (_, spell) => {
    const reserved = newEmail()
    const accounts = await openTestAccounts(store, { adminEmails: [reserved] })
    const browser = new Browser()
    expect(await readCode(accounts.register(register(spell(reserved)), browser.visitor))).toBe('reserved_address')
    const signedUp = (await accounts.register(register(newEmail()), browser.visitor)) as LogIn
    browser.keep(signedUp.cookies)
    const form = { email: spell(reserved), password: PASSWORD }
    expect(await readCode(accounts.changeEmail(form, browser.visitor))).toBe('reserved_address')
    expect(await store.accounts.findAccount(reserved)).toBeNull()
    expect(await store.accounts.getAccount(signedUp.account.id)).toEqual(signedUp.account)
  })

  test('the operator creates its account, which keeps its address', async () => {
    const reserved = newEmail()
    const accounts = await openTestAccounts(store, { adminEmails: [reserved] })
    const log = { warn: () => {}, error: () => {} } as never
    const parts = { store, secret: SECRET, publicUrl: 'http://siteprint.example', log, hasher: openCheapHasher() }
    const { link } = await (await openOperator(parts)).create({ name: 'Olga', email: reserved })
    const token = link.slice(link.lastIndexOf('=') + 1)
    const browser = new Browser()
    await accounts.resetPassword({ token, password: PASSWORD }, browser.visitor)
    browser.keep((await accounts.logIn({ email: reserved, password: PASSWORD }, browser.visitor)).cookies)
    expect(await accounts.changeEmail({ email: reserved, password: PASSWORD }, browser.visitor)).toBe('changed')
  })

  test('with e-mail, the owner of the address signs up', async () => {
    const reserved = newEmail()
    const accounts = await openTestAccounts(store, { adminEmails: [reserved], smtpUrl: mail.url })
    expect(await accounts.register(register(reserved), new Browser().visitor)).toBe('mailed')
    const form = { token: await mail.nextToken(reserved), password: PASSWORD }
    expect(await accounts.verify(form, new Browser().visitor)).toMatchObject({ account: { isVerified: true } })
  })
})
