import type { Accounts } from '../../src/accounts/accounts.ts'
import { Browser, newEmail, PASSWORD } from './open-accounts.ts'

/** Every method that reads or writes the store. */
export const CALLS: readonly [string, (accounts: Accounts, browser: Browser) => Promise<unknown>][] = [
  ['findSession', (accounts, { visitor }) => accounts.findSession(visitor)],
  ['register', (accounts, { visitor }) => accounts.register(form(), visitor)],
  ['verify', (accounts, { visitor }) => accounts.verify({ token: 'x', password: PASSWORD }, visitor)],
  ['discard', (accounts, { visitor }) => accounts.discard('x', visitor)],
  ['logIn', (accounts, { visitor }) => accounts.logIn(form(), visitor)],
  ['logOut', (accounts, { visitor }) => accounts.logOut(visitor)],
  ['resetPassword', (accounts, { visitor }) => accounts.resetPassword({ token: 'x', password: PASSWORD }, visitor)],
  ['rename', (accounts, { visitor }) => accounts.rename('Bea', visitor)],
  ['changeEmail', (accounts, { visitor }) => accounts.changeEmail({ email: newEmail(), password: PASSWORD }, visitor)],
  [
    'changePassword',
    (accounts, { visitor }) => accounts.changePassword({ current: PASSWORD, password: PASSWORD }, visitor),
  ],
  ['listSessions', (accounts) => accounts.listSessions({ account: { id: 'x' }, sessionId: 'x' })],
  ['endSession', (accounts, { visitor }) => accounts.endSession('x', visitor)],
  ['endOtherSessions', (accounts, { visitor }) => accounts.endOtherSessions(visitor)],
  ['remove', (accounts, { visitor }) => accounts.remove(PASSWORD, visitor)],
]

export function form(email = newEmail()) {
  return { name: 'Ann', email, password: PASSWORD, invite: null }
}

export async function signUp(accounts: Accounts, email = newEmail()): Promise<Browser> {
  const browser = new Browser()
  browser.keep(Object(await accounts.register(form(email), browser.visitor)).cookies)
  return browser
}
