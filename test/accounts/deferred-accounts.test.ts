import { expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { DeferredAccounts } from '../../src/accounts/deferred-accounts.ts'
import { Browser, EMBEDDED, newEmail, openTestAccounts, PASSWORD, readCode } from './open-accounts.ts'

/** Accounts that count how often they are opened, and whose first attempts fail. */
async function deferAccounts({ failures = 0 } = {}) {
  const store = await EMBEDDED.open()
  const opened = { count: 0 }
  const accounts = new DeferredAccounts({ canMail: false, signUp: 'open' }, async (): Promise<Accounts> => {
    opened.count++
    if (opened.count <= failures) throw new Error('not yet')
    return openTestAccounts(store)
  })
  return { accounts, opened }
}

test('visitors without a session do not open the accounts', async () => {
  const { accounts, opened } = await deferAccounts()
  const visitor = new Browser().visitor
  for (const cookie of [undefined, '', 'theme=dark; other.session_token=a'])
    expect(await accounts.findSession({ ...visitor, cookie })).toBeNull()
  await accounts.close()
  expect([opened.count, accounts.canMail, accounts.signUp]).toEqual([0, false, 'open'])
})

test('calls at the same time open the accounts once, and every call is passed on', async () => {
  const { accounts, opened } = await deferAccounts()
  const browser = new Browser()
  const form = { name: 'Ada Quill', email: newEmail(), password: PASSWORD, invite: null }
  const [joined] = await Promise.all([
    accounts.register(form, browser.visitor),
    accounts.requestReset(newEmail(), browser.visitor),
  ])
  if (joined === 'mailed') throw new Error('e-mail is off')
  browser.keep(joined.cookies)
  const session = await accounts.findSession(browser.visitor)
  expect([session?.account.email, opened.count]).toEqual([form.email, 1])
  const wrong = { current: 'not the password', password: `${PASSWORD} new` }
  expect(await readCode(accounts.changePassword(wrong, browser.visitor))).toBe('wrong_password')
  await accounts.remove(PASSWORD, browser.visitor)
  expect(await readCode(accounts.logIn(form, browser.visitor))).toBe('wrong_login')
})

test('after a failure the next call opens the accounts', async () => {
  const { accounts, opened } = await deferAccounts({ failures: 1 })
  const browser = new Browser()
  await expect(accounts.checkInvite('a', browser.visitor)).rejects.toThrow('not yet')
  await accounts.checkInvite('a', browser.visitor)
  expect(opened.count).toBe(2)
})
