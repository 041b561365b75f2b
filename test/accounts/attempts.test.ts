import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { PasswordHasher } from '../../src/accounts/password-hasher.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import {
  accountStoreKinds,
  Browser,
  newEmail,
  openCounters,
  openTestAccounts,
  PASSWORD,
  readCode,
} from './open-accounts.ts'

let server: MailServer
let store: GuardedStore
const [kind] = accountStoreKinds('limits of attempts')
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1, 12, 0, 10) })
  server = await startMailServer()
  store = await kind.open()
})
afterAll(async () => {
  vi.useRealTimers()
  await server.stop()
  await store.close()
})

/** Two nodes that count together. */
async function openNodes(options: Parameters<typeof openTestAccounts>[1] = {}): Promise<[Accounts, Accounts]> {
  const shared = openCounters()
  return [await openTestAccounts(store, { ...options, shared }), await openTestAccounts(store, { ...options, shared })]
}

/** Calls alternately on both nodes. Returns the codes of the results, in order. */
async function readCodes(
  nodes: readonly Accounts[],
  count: number,
  call: (node: Accounts) => Promise<unknown>,
): Promise<string[]> {
  const codes = []
  for (let i = 0; i < count; i++) codes.push(await readCode(call(nodes[i % nodes.length])))
  return codes
}

const repeat = (code: string, times: number): string[] => Array<string>(times).fill(code)
const WRONG = 'another password'

describe('per clock minute, on all nodes together', () => {
  test('10 log-ins and sign-ups of an address', async () => {
    const nodes = await openNodes({ signUp: 'off' })
    const { visitor } = new Browser()
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    expect(await readCodes(nodes, 8, (node) => node.register(form, visitor))).toEqual(repeat('sign_up_off', 8))
    const logIn = (): Promise<string[]> =>
      readCodes(nodes, 3, (node) => node.logIn({ email: newEmail(), password: PASSWORD }, visitor))
    expect(await logIn()).toEqual(['wrong_login', 'wrong_login', 'too_many_attempts'])
    expect(await readCode(nodes[0].logIn({ email: newEmail(), password: PASSWORD }, new Browser().visitor))).toBe(
      'wrong_login',
    )
    vi.setSystemTime(Date.now() + 60_000)
    const later = { ...visitor, now: Date.now() }
    expect(await readCode(nodes[0].logIn({ email: newEmail(), password: PASSWORD }, later))).toBe('wrong_login')
  })

  test('10 passwords of an account, which need not exist, from any addresses', async () => {
    const nodes = await openNodes()
    const email = newEmail()
    const form = { name: 'Ann', email, password: PASSWORD, invite: null }
    await nodes[0].register(form, new Browser().visitor)
    for (const address of [email, newEmail()]) {
      const wrong = { email: address, password: WRONG }
      const codes = await readCodes(nodes, 12, (node) => node.logIn(wrong, new Browser().visitor))
      expect(codes).toEqual([...repeat('wrong_login', 10), ...repeat('too_many_attempts', 2)])
    }
    expect(await readCode(nodes[1].logIn(form, new Browser().visitor))).toBe('too_many_attempts')
    vi.setSystemTime(Date.now() + 60_000)
    expect(await readCodes(nodes, 7, (node) => node.logIn(form, new Browser().visitor))).toEqual(repeat('none', 7))
  })

  test('10 passwords of an account at most are checked at the same time', async () => {
    const nodes = await openNodes()
    const wrong = { email: newEmail(), password: WRONG }
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, i) => readCode(nodes[i % 2].logIn(wrong, new Browser().visitor))),
    )
    expect(codes.toSorted()).toEqual([...repeat('too_many_attempts', 20), ...repeat('wrong_login', 10)])
  })

  test('10 passwords of a person who is logged in', async () => {
    const nodes = await openNodes()
    const browser = new Browser()
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    browser.keep(Object(await nodes[0].register(form, browser.visitor)).cookies)
    const change = (node: Accounts): Promise<unknown> =>
      node.changePassword({ current: WRONG, password: 'a new pass phrase' }, browser.visitor)
    expect(await readCodes(nodes, 8, change)).toEqual(repeat('wrong_password', 8))
    const remove = (node: Accounts): Promise<unknown> => node.remove(WRONG, browser.visitor)
    expect(await readCodes(nodes, 3, remove)).toEqual([...repeat('wrong_password', 2), 'too_many_attempts'])
  })

  test('10 passwords of a link that confirms an address', async () => {
    const nodes = await openNodes({ smtpUrl: server.url })
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    await nodes[0].register(form, new Browser().visitor)
    const token = await server.nextToken(form.email)
    const verify = (node: Accounts): Promise<unknown> => node.verify({ token, password: WRONG }, new Browser().visitor)
    expect(await readCodes(nodes, 11, verify)).toEqual([...repeat('wrong_password', 10), 'too_many_attempts'])
  })

  test('3 e-mails to an address, whether it has an account or not', async () => {
    const nodes = await openNodes({ smtpUrl: server.url })
    const email = newEmail()
    const codes = await readCodes(nodes, 4, (node) => node.requestReset(email, new Browser().visitor))
    expect(codes).toEqual([...repeat('none', 3), 'too_many_attempts'])
    const form = { name: 'Ann', email, password: PASSWORD, invite: null }
    expect(await readCode(nodes[0].register(form, new Browser().visitor))).toBe('too_many_attempts')
  })

  test('3 e-mails by a client', async () => {
    const nodes = await openNodes({ smtpUrl: server.url })
    const { visitor } = new Browser()
    const codes = await readCodes(nodes, 4, (node) => node.requestReset(newEmail(), visitor))
    expect(codes).toEqual([...repeat('none', 3), 'too_many_attempts'])
  })
})

test('a flood of log-ins fills a short queue of hashes; the rest fails at once', async () => {
  const accounts = await openTestAccounts(store, { hasher: new PasswordHasher() })
  const codes = await Promise.all(
    Array.from({ length: 60 }, () =>
      readCode(accounts.logIn({ email: newEmail(), password: PASSWORD }, new Browser().visitor)),
    ),
  )
  const count = (wanted: string): number => codes.filter((code) => code === wanted).length
  expect([count('wrong_login'), count('too_many_attempts')]).toEqual([34, 26])
})

test('counters do not contain addresses of people', async () => {
  const counters: string[] = []
  const accounts = await openTestAccounts(store, {
    smtpUrl: server.url,
    shared: {
      countRequest: ({ counter }) => {
        counters.push(counter)
        return Promise.resolve({ count: 0, entry: null })
      },
    },
  })
  const email = newEmail()
  await readCode(accounts.logIn({ email, password: PASSWORD }, new Browser().visitor))
  await accounts.requestReset(email, new Browser().visitor)
  expect(counters).toHaveLength(4)
  expect(counters.join()).not.toContain('@')
})
