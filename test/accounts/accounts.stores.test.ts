import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { findByAddress } from '../../src/accounts/form-rules.ts'
import { createDeferred } from '../../src/async/deferred.ts'
import type { GuardedStore } from '../../src/store/guard.ts'
import { sampleKey } from '../store/sample-key.ts'
import { until } from '../support/until.ts'
import { openCheapHasher } from './cheap-hasher.ts'
import { Browser, findAccountStores, newEmail, openTestAccounts, PASSWORD, readCode } from './open-accounts.ts'

const kind = findAccountStores('accounts')
describe.skipIf(kind.isMissing).each([kind])('accounts on $name, without e-mail', ({ open }) => {
  let store: GuardedStore
  let accounts: Accounts
  beforeAll(async () => {
    store = await open()
    accounts = await openTestAccounts(store)
  })
  afterAll(() => store.close())

  /** Signs up in a new browser. */
  async function signUp(email = newEmail(), node = accounts): Promise<{ browser: Browser; email: string; id: string }> {
    const browser = new Browser()
    const logIn = await node.register({ name: 'Ann Ö', email, password: PASSWORD, invite: null }, browser.visitor)
    if (logIn === 'mailed') throw new Error('an e-mail was sent')
    browser.keep(logIn.cookies)
    return { browser, email, id: logIn.account.id }
  }

  async function logIn(email: string, browser = new Browser(), password = PASSWORD, node = accounts): Promise<Browser> {
    browser.keep((await node.logIn({ email, password }, browser.visitor)).cookies)
    return browser
  }
  const isLoggedIn = async ({ visitor }: Browser): Promise<boolean> => (await accounts.findSession(visitor)) !== null

  test('a sign-up creates an account in the plan free and logs it in', async () => {
    const { browser, email, id } = await signUp()
    const session = await accounts.findSession(browser.visitor)
    expect(session?.account).toEqual({
      id: expect.stringMatching(/^acc_\w{20}$/),
      email,
      name: 'Ann Ö',
      isVerified: false,
      plan: 'free',
      createdAt: expect.any(Date),
      suspendedAt: null,
    })
    expect(await store.accounts.getAccount(id)).toEqual(session?.account)
    expect(await accounts.findSession(new Browser().visitor)).toBeNull()
  })

  test('the cookie is for the server alone, and lasts 30 days', async () => {
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    const { cookies } = Object(await accounts.register(form, new Browser().visitor))
    expect(cookies).toHaveLength(2)
    expect(cookies[1]).toMatch(/^siteprint\.browser=[\w.-]+; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(cookies[0]).toMatch(/^siteprint\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    const secure = await openTestAccounts(store, { publicUrl: 'https://siteprint.example' })
    const [cookie, known] = (await secure.logIn(form, new Browser().visitor)).cookies
    expect(known).toMatch(
      /^__Secure-siteprint\.browser=[\w.-]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect(cookie).toMatch(/^__Secure-siteprint\.session_token=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; Same/)
  })

  test('of simultaneous sign-ups with one address exactly one succeeds, and its password is valid', async () => {
    const email = newEmail()
    const passwords = Array.from({ length: 8 }, (_, i) => `${PASSWORD} ${i}`)
    const results = await Promise.allSettled(
      passwords.map((password, i) =>
        accounts.register({ name: `Ann ${i}`, email, password, invite: null }, new Browser().visitor),
      ),
    )
    const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
    expect(winners).toHaveLength(1)
    for (const [i, password] of passwords.entries())
      expect(await readCode(logIn(email, new Browser(), password))).toBe(i === winners[0] ? 'none' : 'wrong_login')
    expect((await store.accounts.findAccount(email))?.name).toBe(`Ann ${winners[0]}`)
  })

  test.each<[string, Partial<Parameters<Accounts['register']>[0]>, string]>([
    ['no name', { name: ' ' }, 'invalid_name'],
    ['a name on two lines', { name: 'Ann\r\nBcc: b@a.example' }, 'invalid_name'],
    ['a name that is not visible', { name: '\u200b' }, 'invalid_name'],
    ['a name of letters that are not visible', { name: '\u3164\u3164' }, 'invalid_name'],
    ['a name that is shown in reverse', { name: 'Ann\u202egnp.exe' }, 'invalid_name'],
    ['a long name', { name: 'a'.repeat(101) }, 'invalid_name'],
    ['a huge name', { name: 'a'.repeat(1_000_000) }, 'invalid_name'],
    ['an address without a host', { email: 'ann' }, 'invalid_email'],
    ['two addresses', { email: 'ann@a.example,bob@a.example' }, 'invalid_email'],
    ['an address with a header', { email: 'ann@a.example\r\nBcc: bob@a.example' }, 'invalid_email'],
    ['a huge address', { email: `${'a'.repeat(1_000_000)}@a.example` }, 'invalid_email'],
    ['a short password', { password: '123456789' }, 'short_password'],
    ['nine characters of two units', { password: '😀'.repeat(9) }, 'short_password'],
    ['a long password', { password: 'ab1'.repeat(43) }, 'long_password'],
    ['a huge password', { password: 'ab1'.repeat(1_000_000) }, 'long_password'],
    ['a common password in another case', { password: 'QwertyUIOP' }, 'common_password'],
    ['the name in another case', { name: 'Ann-Sofie Ö', password: 'ANN-sofie ö' }, 'personal_password'],
    ['the address in another case', { email: 'ann@a.example', password: 'Ann@A.example' }, 'personal_password'],
    ['one character, repeated', { password: 'aaaaaaaaaaaaaaa' }, 'common_password'],
  ])('%s is rejected', async (_, change, code) => {
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null, ...change }
    expect(await readCode(accounts.register(form, new Browser().visitor))).toBe(code)
  })

  test.each(['Ö', 'Ann 👩‍🚀', 'می\u200cخواهم', '李'])('%s is a name', async (name) => {
    const form = { name, email: newEmail(), password: PASSWORD, invite: null }
    expect(await readCode(accounts.register(form, new Browser().visitor))).toBe('none')
  })

  test('an address is the same in any case, and with blanks around it', async () => {
    const { email } = await signUp()
    const form = { name: 'B', email: ` ${email.toUpperCase()} `, password: PASSWORD, invite: null }
    expect(await readCode(accounts.register(form, new Browser().visitor))).toBe('address_taken')
    expect(await isLoggedIn(await logIn(form.email))).toBe(true)
  })

  describe('an address with an internationalized domain', () => {
    const UNICODE = 'bücher.example'
    const ASCII = 'xn--bcher-kva.example'
    const register = (email: string): Promise<string> =>
      readCode(accounts.register({ name: 'B', email, password: PASSWORD, invite: null }, new Browser().visitor))

    test.each([
      ['unicode', UNICODE, ASCII],
      ['ascii', ASCII, UNICODE],
    ])('in %s is one account in both spellings', async (name, first, second) => {
      const { id } = await signUp(`${name}@${first}`)
      expect(await store.accounts.getAccount(id)).toMatchObject({ email: `${name}@${ASCII}` })
      expect(await register(`${name}@${second}`)).toBe('address_taken')
      expect(await isLoggedIn(await logIn(`${name}@${second.toUpperCase()}`))).toBe(true)
    })

    test('that an earlier version has stored in Unicode still has its account', async () => {
      const { id } = await signUp(`old@${ASCII}`)
      await storeAddress(id, `old@${UNICODE}`)
      for (const domain of [ASCII, UNICODE]) {
        expect(await isLoggedIn(await logIn(`old@${domain}`))).toBe(true)
        expect(await register(`old@${domain}`)).toBe('address_taken')
        expect((await findByAddress(store.accounts, `old@${domain}`))?.id).toBe(id)
      }
      const { browser } = await signUp()
      const change = { email: `old@${UNICODE}`, password: PASSWORD }
      expect(await readCode(accounts.changeEmail(change, browser.visitor))).toBe('address_taken')
    })

    async function storeAddress(id: string, email: string): Promise<void> {
      const { authDatabase } = store
      if (authDatabase.kind === 'sqlite')
        authDatabase.write(
          () => void authDatabase.db.prepare('UPDATE accounts SET email = ? WHERE id = ?').run(email, id),
        )
      else {
        const all = authDatabase.get().db.collection<{ readonly _id: string; readonly email: string }>('accounts')
        await all.updateOne({ _id: id }, { $set: { email } })
      }
    }
  })

  test('an interrupted sign-up has no password: the next sign-up with its address gets the account', async () => {
    const { email, id } = await signUp()
    await deleteCredential(store, id)
    expect(await readCode(logIn(email))).toBe('wrong_login')
    const second = await signUp(email)
    expect(second.id).toBe(id)
    expect(await isLoggedIn(await logIn(email))).toBe(true)
  })

  test('a log-in ends the former session of the browser', async () => {
    const { browser, email } = await signUp()
    const former = browser.visitor
    await logIn(email, browser)
    expect(browser.visitor.cookie).not.toBe(former.cookie)
    expect(await accounts.findSession(former)).toBeNull()
    expect(await isLoggedIn(browser)).toBe(true)
  })

  test('a session that another person chose is not used', async () => {
    const { browser: attacker } = await signUp()
    const { email } = await signUp()
    const fixed = attacker.visitor.cookie
    const browser = new Browser()
    browser.keep([`${fixed}; Path=/`])
    await logIn(email, browser)
    expect(browser.visitor.cookie).not.toBe(fixed)
    expect(await isLoggedIn(attacker)).toBe(false)
  })

  test.each([
    ['a changed token', (cookie: string) => cookie.replace(/=(.)/, (_, first) => (first === 'x' ? '=y' : '=x'))],
    ['a changed signature', (cookie: string) => cookie.slice(0, -8)],
    ['no value', (cookie: string) => cookie.replace(/=.*/, '=')],
    ['another cookie', () => 'a=b'],
    ['a huge cookie', (cookie: string) => `${cookie}${'x'.repeat(100_000)}`],
  ])('a cookie with %s is not a session', async (_, change) => {
    const { browser } = await signUp()
    const [cookie = ''] = (browser.visitor.cookie ?? '').split('; ')
    expect(await accounts.findSession({ ...browser.visitor, cookie })).not.toBeNull()
    expect(await accounts.findSession({ ...browser.visitor, cookie: change(cookie) })).toBeNull()
  })

  test('log-out ends the session and removes its cookie', async () => {
    const { browser } = await signUp()
    const { visitor } = browser
    browser.keep(await accounts.logOut(visitor))
    expect(browser.visitor.cookie).toMatch(/^siteprint\.browser=[^;]+$/)
    expect(await accounts.findSession(visitor)).toBeNull()
    expect(await accounts.logOut(visitor)).not.toEqual([])
  })

  test('wrong log-ins are all alike', async () => {
    const { email } = await signUp()
    const wrong = [
      { email, password: 'another password' },
      { email, password: '' },
      { email, password: 'x'.repeat(1_000_000) },
      { email: newEmail(), password: PASSWORD },
    ]
    for (const form of wrong) expect(await readCode(accounts.logIn(form, new Browser().visitor))).toBe('wrong_login')
  })

  test('a suspended account has no session; only its password reveals that it is suspended', async () => {
    const { browser, email, id } = await signUp()
    await store.accounts.suspendAccount(id, new Date())
    expect(await isLoggedIn(browser)).toBe(false)
    expect(await readCode(logIn(email))).toBe('suspended')
    expect(await readCode(logIn(email, new Browser(), 'another password'))).toBe('wrong_login')
    await store.accounts.suspendAccount(id, null)
    expect(await isLoggedIn(browser)).toBe(false)
    expect(await isLoggedIn(await logIn(email))).toBe(true)
  })

  test('sessions are listed, and end one by one or all but the current one', async () => {
    const { browser, email } = await signUp()
    const [second, third] = [await logIn(email), await logIn(email)]
    const session = await accounts.findSession(browser.visitor)
    if (session === null) throw new Error('the browser is not logged in')
    const sessions = await accounts.listSessions(session)
    expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, false, true])
    expect(sessions[0]).toMatchObject({ userAgent: 'Browser of the tests', expiresAt: expect.any(Date) })
    const { browser: stranger } = await signUp()
    await accounts.endSession(sessions[0].id, stranger.visitor)
    expect(await isLoggedIn(third)).toBe(true)
    await accounts.endSession(sessions[0].id, browser.visitor)
    expect([await isLoggedIn(second), await isLoggedIn(third)]).toEqual([true, false])
    await accounts.endOtherSessions(browser.visitor)
    expect([await isLoggedIn(second), await isLoggedIn(browser)]).toEqual([false, true])
  })

  test('a new password ends the other sessions and needs the current one', async () => {
    const { browser, email } = await signUp()
    const other = await logIn(email)
    const change = (current: string, password: string): Promise<readonly string[]> =>
      accounts.changePassword({ current, password }, browser.visitor)
    expect(await readCode(change('another password', 'a new pass phrase'))).toBe('wrong_password')
    expect(await readCode(change(PASSWORD, 'short'))).toBe('short_password')
    expect(await readCode(change(PASSWORD, email.toUpperCase()))).toBe('personal_password')
    browser.keep(await change(PASSWORD, 'a new pass phrase'))
    expect([await isLoggedIn(browser), await isLoggedIn(other)]).toEqual([true, false])
    expect(await readCode(logIn(email))).toBe('wrong_login')
    expect(await readCode(logIn(email, new Browser(), 'a new pass phrase'))).toBe('none')
  })

  test('no log-in with the former password outlives a change, whenever it compares the password', async () => {
    /** A node with its own queue of hashes. After `hold`, all but the next few wait until they are released. */
    const openNode = async () => {
      const gate = createDeferred<void>()
      let [passing, count] = [Number.POSITIVE_INFINITY, 0]
      const hasher = openCheapHasher(async () => {
        if (++count > passing) await gate.promise
      })
      const hold = (next: number): void => {
        ;[passing, count] = [next, 0]
      }
      return {
        node: await openTestAccounts(store, { hasher }),
        hold,
        count: () => count,
        release: () => gate.resolve(),
      }
    }
    const [changing, during, after] = [await openNode(), await openNode(), await openNode()]
    const { browser, email } = await signUp(newEmail(), changing.node)
    const before = await Promise.all([logIn(email), logIn(email)])
    for (const one of [during, after]) one.hold(0)
    const logInTwice = async ({ node, count }: typeof during) => {
      const browsers = [new Browser(), new Browser()]
      const codes = browsers.map((one) => readCode(logIn(email, one, PASSWORD, node)))
      // They have read the former hash.
      await until(count, 2)
      return { browsers, codes }
    }
    const [early, late] = [await logInTwice(during), await logInTwice(after)]
    // The current password has been compared, and the hash of the new one is computed.
    changing.hold(1)
    const change = changing.node.changePassword({ current: PASSWORD, password: 'a new pass phrase' }, browser.visitor)
    await until(changing.count, 2)
    changing.release()
    during.release()
    await Promise.all([change, ...early.codes])
    after.release()
    expect(await Promise.all(late.codes)).toEqual(['wrong_login', 'wrong_login'])
    const former = [browser, ...before, ...early.browsers, ...late.browsers]
    expect(await Promise.all(former.map(isLoggedIn))).toEqual(Array(7).fill(false))
    expect(await readCode(logIn(email, new Browser(), 'a new pass phrase'))).toBe('none')
  })

  test('name and address are changed at once; the new address is not confirmed', async () => {
    const { browser, id, email } = await signUp()
    await accounts.rename('  Bea Å ', browser.visitor)
    const { email: taken } = await signUp()
    const wanted = newEmail()
    const key = sampleKey({ account: id, email })
    await store.keys.createDefaultKey(key)
    const change = (to: string, password = PASSWORD): Promise<string> =>
      accounts.changeEmail({ email: to, password }, browser.visitor)
    expect(await readCode(change(wanted, 'another password'))).toBe('wrong_password')
    expect(await readCode(change(taken))).toBe('address_taken')
    expect(await change(wanted)).toBe('changed')
    expect(await store.accounts.getAccount(id)).toMatchObject({ name: 'Bea Å', email: wanted, isVerified: false })
    expect((await store.keys.getKey(key.id))?.email).toBe(wanted)
    expect(await readCode(logIn(email))).toBe('wrong_login')
    expect(await readCode(logIn(wanted))).toBe('none')
  })

  test('a new address ends the other sessions', async () => {
    const { browser, email } = await signUp()
    const other = await logIn(email)
    expect(await accounts.changeEmail({ email, password: PASSWORD }, browser.visitor)).toBe('changed')
    expect([await isLoggedIn(browser), await isLoggedIn(other)]).toEqual([true, true])
    expect(await accounts.changeEmail({ email: newEmail(), password: PASSWORD }, browser.visitor)).toBe('changed')
    expect([await isLoggedIn(browser), await isLoggedIn(other)]).toEqual([true, false])
  })

  test('deletion needs the password, ends all sessions and frees the address', async () => {
    const { browser, email, id } = await signUp()
    const other = await logIn(email)
    expect(await readCode(accounts.remove('another password', browser.visitor))).toBe('wrong_password')
    browser.keep(await accounts.remove(PASSWORD, browser.visitor))
    expect(browser.visitor.cookie).toBeUndefined()
    expect(await isLoggedIn(other)).toBe(false)
    expect(await store.accounts.getAccount(id)).toBeNull()
    expect(await readCode(logIn(email))).toBe('wrong_login')
    expect((await signUp(email)).id).not.toBe(id)
  })

  test.each<[string, (visitor: Browser['visitor']) => Promise<unknown>]>([
    ['rename', (visitor) => accounts.rename('x', visitor)],
    ['changeEmail', (visitor) => accounts.changeEmail({ email: newEmail(), password: PASSWORD }, visitor)],
    ['changePassword', (visitor) => accounts.changePassword({ current: PASSWORD, password: PASSWORD }, visitor)],
    ['endSession', (visitor) => accounts.endSession('x', visitor)],
    ['endOtherSessions', (visitor) => accounts.endOtherSessions(visitor)],
    ['remove', (visitor) => accounts.remove(PASSWORD, visitor)],
  ])('%s needs a session', async (_, call) => {
    expect(await readCode(call(new Browser().visitor))).toBe('not_logged_in')
  })

  test.each(['x', '', 'x'.repeat(100_000), '../../', "' OR 1=1 --", '\0'])(
    'the token %j is not valid',
    async (token) => {
      expect(await readCode(accounts.verify({ token, password: PASSWORD }, new Browser().visitor))).toBe(
        'invalid_token',
      )
      expect(await readCode(accounts.resetPassword({ token, password: PASSWORD }, new Browser().visitor))).toBe(
        'invalid_token',
      )
    },
  )
})

/** Stores what a crash between the two writes of a sign-up leaves behind. */
async function deleteCredential({ authDatabase }: GuardedStore, account: string): Promise<void> {
  if (authDatabase.kind === 'sqlite') authDatabase.db.prepare('DELETE FROM credentials WHERE userId = ?').run(account)
  else await authDatabase.get().db.collection('credentials').deleteMany({ userId: account })
}
