import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { openOperator } from '../../src/accounts/open.ts'
import type { Visitor } from '../../src/accounts/types.ts'
import { type AppStores, findAppKind } from '../http/app-kinds.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/until.ts'
import { openCheapHasher } from './cheap-hasher.ts'
import { Browser, newEmail, openTestAccounts, PASSWORD, readCode, SECRET } from './open-accounts.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const WRONG = 'another password'
const repeat = (code: string, times: number): string[] => Array<string>(times).fill(code)

/** The time of all requests. Only their limits follow it: the databases keep their own. */
const clock = { now: Math.ceil(Date.now() / DAY_MS) * DAY_MS + 10_000 }

/** A browser whose requests have the time of the clock. */
class TimedBrowser extends Browser {
  override get visitor(): Visitor {
    return { ...super.visitor, now: clock.now }
  }
}

let addresses = 0
/** A browser at an address that no other test uses. */
function newBrowser(): Browser {
  addresses++
  return new TimedBrowser(`10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`)
}

const kind = await findAppKind('attempts')
describe.skipIf(kind.isMissing).each([kind])('limits of two nodes on $name', ({ open, isShared }) => {
  let server: MailServer
  let stores: readonly [AppStores, AppStores]
  /** Nodes without e-mail, and with it. */
  let nodes: readonly [Accounts, Accounts]
  let mailing: readonly [Accounts, Accounts]
  beforeAll(async () => {
    server = await startMailServer()
    const first = await open()
    stores = [first, isShared ? await open() : first]
    const openNode = ({ store, shared }: AppStores, smtpUrl?: string): Promise<Accounts> =>
      openTestAccounts(store, { shared, ...(smtpUrl !== undefined && { smtpUrl }) })
    nodes = [await openNode(stores[0]), await openNode(stores[1])]
    mailing = [await openNode(stores[0], server.url), await openNode(stores[1], server.url)]
  })
  beforeEach(() => {
    clock.now += MINUTE_MS
  })
  afterAll(async () => {
    await server.stop()
    for (const { store, shared } of new Set(stores)) await Promise.all([store.close(), shared.close()])
  })

  /** Calls alternately on both nodes. Returns the codes of the results, in order. */
  async function readCodes(
    of: readonly Accounts[],
    count: number,
    call: (node: Accounts, i: number) => Promise<unknown>,
  ): Promise<string[]> {
    const codes = []
    for (let i = 0; i < count; i++) codes.push(await readCode(call(of[i % 2], i)))
    return codes
  }

  const logIn = (node: Accounts, email: string, browser: Browser, password = PASSWORD): Promise<string> =>
    readCode(node.logIn({ email, password }, browser.visitor).then(({ cookies }) => browser.keep(cookies)))

  /** An account, and a browser that is logged in. */
  async function signUp(): Promise<{ readonly email: string; readonly browser: Browser; readonly id: string }> {
    const [email, browser] = [newEmail(), newBrowser()]
    const form = { name: 'Ann', email, password: PASSWORD, invite: null }
    const started = await nodes[0].register(form, browser.visitor)
    if (started === 'mailed') throw new Error('an e-mail was sent')
    browser.keep(started.cookies)
    return { email, browser, id: started.account.id }
  }

  /** Guesses 100 times from 20 addresses, as often as an account accepts it in a day. */
  async function exhaust(of: readonly Accounts[], email: string): Promise<void> {
    const browsers = Array.from({ length: 20 }, newBrowser)
    const codes = browsers.flatMap((browser) =>
      Array.from({ length: 5 }, (_, i) => logIn(of[i % 2], email, browser, WRONG)),
    )
    expect(await Promise.all(codes)).toEqual(repeat('wrong_login', 100))
  }

  describe('strangers', () => {
    test('an address logs in 30 times a minute, to any accounts', async () => {
      const browser = newBrowser()
      const codes = await readCodes(nodes, 31, (node) =>
        node.logIn({ email: newEmail(), password: PASSWORD }, browser.visitor),
      )
      expect(codes).toEqual([...repeat('wrong_login', 30), 'too_many_attempts'])
      expect(await logIn(nodes[0], newEmail(), newBrowser())).toBe('wrong_login')
      expect(await logIn(nodes[0], 'not an address', browser)).toBe('too_many_attempts')
      clock.now += MINUTE_MS
      expect(await logIn(nodes[1], newEmail(), browser)).toBe('wrong_login')
    })

    test('10 wrong passwords of an address for an account a minute; right ones do not count', async () => {
      const { email } = await signUp()
      const [guessing, other] = [newBrowser(), newBrowser()]
      expect(await readCodes(nodes, 12, (node) => node.logIn({ email, password: PASSWORD }, other.visitor))).toEqual(
        repeat('none', 12),
      )
      const wrong = { email, password: WRONG }
      expect(await readCodes(nodes, 11, (node) => node.logIn(wrong, guessing.visitor))).toEqual([
        ...repeat('wrong_login', 10),
        'too_many_attempts',
      ])
      expect(await logIn(nodes[0], email, guessing)).toBe('too_many_attempts')
      expect(await logIn(nodes[1], newEmail(), guessing)).toBe('wrong_login')
      expect(await logIn(nodes[0], email, other)).toBe('none')
    })

    test('no more of them at the same time', async () => {
      const { email } = await signUp()
      const { visitor } = newBrowser()
      const wrong = { email, password: WRONG }
      const codes = await Promise.all(
        Array.from({ length: 28 }, (_, i) => readCode(nodes[i % 2].logIn(wrong, visitor))),
      )
      expect(codes.toSorted()).toEqual([...repeat('too_many_attempts', 18), ...repeat('wrong_login', 10)])
    })

    test.each([
      ['an account', true],
      ['an address without one', false],
    ])('100 wrong passwords of %s a day at the same time, then a link is needed', async (_, exists) => {
      const email = exists ? (await signUp()).email : newEmail()
      const browsers = Array.from({ length: 30 }, newBrowser)
      const all = browsers.flatMap((browser) =>
        Array.from({ length: 4 }, (__, i) => logIn(mailing[i % 2], email, browser, WRONG)),
      )
      const codes = (await Promise.all(all)).toSorted()
      expect(codes).toEqual([...repeat('needs_link', 20), ...repeat('wrong_login', 100)])
      clock.now += MINUTE_MS
      expect(await logIn(mailing[0], email, newBrowser())).toBe('needs_link')
      clock.now += DAY_MS
      expect(await logIn(mailing[0], email, newBrowser())).toBe(exists ? 'none' : 'wrong_login')
    })

    test('the link works once, with the password of its account, and the browser is known afterwards', async () => {
      const { email } = await signUp()
      const { email: other } = await signUp()
      await exhaust(mailing, email)
      await exhaust(mailing, other)
      const browser = newBrowser()
      await mailing[0].requestLogInLink(email, browser.visitor)
      const link = /link=([\w-]+)/.exec((await server.next(email)).text)?.[1] ?? ''
      const use = (address: string, password: string, from = browser): Promise<string> =>
        readCode(
          mailing[1].logIn({ email: address, password, link }, from.visitor).then(({ cookies }) => from.keep(cookies)),
        )
      expect(await use(other, PASSWORD)).toBe('needs_link')
      expect(await use(email, WRONG)).toBe('wrong_login')
      expect(await use(email, PASSWORD)).toBe('none')
      expect(await use(email, PASSWORD, newBrowser())).toBe('needs_link')
      expect(await logIn(mailing[0], email, browser)).toBe('none')
    })

    test('a link accepts 10 wrong passwords a minute and 20 a day', async () => {
      const { email } = await signUp()
      await exhaust(mailing, email)
      await mailing[0].requestLogInLink(email, newBrowser().visitor)
      const link = /link=([\w-]+)/.exec((await server.next(email)).text)?.[1] ?? ''
      const guess = (count: number): Promise<string[]> =>
        readCodes(mailing, count, (node) => node.logIn({ email, password: WRONG, link }, newBrowser().visitor))
      expect(await guess(11)).toEqual([...repeat('wrong_login', 10), 'too_many_attempts'])
      clock.now += MINUTE_MS
      expect(await guess(11)).toEqual([...repeat('wrong_login', 10), 'too_many_attempts'])
      clock.now += MINUTE_MS
      expect(await guess(1)).toEqual(['invalid_token'])
    })

    test('without e-mail each address still has 3 wrong passwords a day, and each /48', async () => {
      const { email } = await signUp()
      await exhaust(nodes, email)
      const networks: [string, string[]][] = [
        ['an IPv4 address', repeat('203.0.113.7', 4)],
        ['a /48', ['0', '1', '100', 'ffff'].map((part) => `2001:db8:7:${part}::/64`)],
      ]
      for (const [name, list] of networks) {
        const codes = []
        for (const address of list) codes.push(await logIn(nodes[0], email, new TimedBrowser(address), WRONG))
        expect(codes, name).toEqual([...repeat('wrong_login', 3), 'too_many_today'])
      }
      for (const address of ['203.0.113.8', '2001:db8:8:0::/64'])
        expect(await logIn(nodes[1], email, new TimedBrowser(address))).toBe('none')
    })

    test('a link to choose a new password makes the browser known', async () => {
      const { email, id } = await signUp()
      await exhaust(mailing, email)
      const account = await stores[0].store.accounts.getAccount(id)
      if (account === null) throw new Error('there is no such account')
      const log = { warn: () => {}, error: () => {} } as never
      const parts = { store: stores[0].store, secret: SECRET, publicUrl: 'http://siteprint.example', log }
      const operator = await openOperator({ ...parts, hasher: openCheapHasher() })
      const token = /token=([\w-]+)/.exec(await operator.reset(account))?.[1] ?? ''
      const browser = newBrowser()
      const password = 'a new pass phrase'
      browser.keep(await mailing[0].resetPassword({ token, password }, browser.visitor))
      expect(await logIn(mailing[1], email, newBrowser(), password)).toBe('needs_link')
      expect(await logIn(mailing[1], email, browser, password)).toBe('none')
    })
  })

  describe('a known browser', () => {
    test.each([
      ['with e-mail', () => mailing],
      ['without e-mail', () => nodes],
    ])('logs in whatever strangers do, %s', async (_, of) => {
      const { email, browser } = await signUp()
      browser.keep(await nodes[0].logOut(browser.visitor))
      await exhaust(of(), email)
      const { visitor } = new TimedBrowser(browser.address)
      for (let i = 0; i < 40; i++) await readCode(of()[0].logIn({ email: newEmail(), password: WRONG }, visitor))
      expect(await logIn(of()[1], email, browser)).toBe('none')
    })

    test('has 10 wrong passwords a minute, and counts as a stranger after 50 a day', async () => {
      const { email, browser } = await signUp()
      const wrong = { email, password: WRONG }
      const guess = (): Promise<string[]> => readCodes(mailing, 11, (node) => node.logIn(wrong, browser.visitor))
      for (let minute = 0; minute < 4; minute++) {
        expect(await guess()).toEqual([...repeat('wrong_login', 10), 'too_many_attempts'])
        clock.now += MINUTE_MS
      }
      expect(await logIn(mailing[0], email, browser)).toBe('none')
      await exhaust(mailing, email)
      expect(await guess()).toEqual([...repeat('wrong_login', 10), 'needs_link'])
      expect(await logIn(mailing[0], email, browser)).toBe('needs_link')
    })

    test.each<[string, (cookie: string) => string]>([
      ['changed', (cookie) => cookie.replace(/browser=(.)/, (_, first) => `browser=${first === 'x' ? 'y' : 'x'}`)],
      ['cut', (cookie) => cookie.slice(0, -1)],
      ['of no form', (cookie) => cookie.replace(/browser=.*/, 'browser=~~.~')],
      ['huge', (cookie) => `${cookie}${'x~'.repeat(50_000)}`],
    ])('is not one whose cookie is %s', async (_, change) => {
      const { email, browser } = await signUp()
      await exhaust(mailing, email)
      const cookie = browser.visitor.cookie?.split('; ').find((one) => one.startsWith('siteprint.browser=')) ?? ''
      const attempt = (value: string) =>
        readCode(mailing[0].logIn({ email, password: PASSWORD }, { ...newBrowser().visitor, cookie: value }))
      expect(await attempt(change(cookie))).toBe('needs_link')
      expect(await attempt(cookie)).toBe('none')
    })

    test('is bound to its account and to its password, and remembers four accounts', async () => {
      const browser = newBrowser()
      const emails: string[] = []
      for (let i = 0; i < 5; i++) {
        const { email } = await signUp()
        await logIn(nodes[0], email, browser)
        await exhaust(mailing, email)
        emails.push(email)
      }
      const codes = []
      for (const email of emails) codes.push(await logIn(mailing[0], email, browser))
      expect(codes).toEqual(['needs_link', ...repeat('none', 4)])
      const { cookie } = browser.visitor
      const change = { current: PASSWORD, password: 'a new pass phrase' }
      browser.keep(await mailing[0].changePassword(change, browser.visitor))
      const [last] = emails.slice(-1)
      const former = mailing[1].logIn({ email: last, password: change.password }, { ...newBrowser().visitor, cookie })
      expect(await readCode(former)).toBe('needs_link')
      expect(await logIn(mailing[1], last, browser, change.password)).toBe('none')
    })

    test('is one for 400 days', async () => {
      const { email, browser } = await signUp()
      clock.now += 399 * DAY_MS
      await exhaust(mailing, email)
      expect(await logIn(mailing[0], email, browser)).toBe('none')
      clock.now += 401 * DAY_MS
      await exhaust(mailing, email)
      expect(await logIn(mailing[0], email, browser)).toBe('needs_link')
    })
  })

  describe('people who are logged in', () => {
    test.each<[string, (node: Accounts, browser: Browser) => Promise<unknown>]>([
      [
        'change their password',
        (node, { visitor }) => node.changePassword({ current: PASSWORD, password: 'a new pass phrase' }, visitor),
      ],
      [
        'change their address',
        (node, { visitor }) => node.changeEmail({ email: newEmail(), password: PASSWORD }, visitor),
      ],
      ['delete their account', (node, { visitor }) => node.remove(PASSWORD, visitor)],
    ])('%s while strangers guess', async (_, act) => {
      const { email, browser } = await signUp()
      await exhaust(mailing, email)
      const { visitor } = new TimedBrowser(browser.address)
      for (let i = 0; i < 40; i++) await readCode(mailing[0].logIn({ email, password: WRONG }, visitor))
      expect(await readCode(act(mailing[1], browser))).toBe('none')
    })

    test('have 10 wrong passwords a minute and 50 a day for each session', async () => {
      const { email, browser } = await signUp()
      const other = newBrowser()
      await logIn(nodes[0], email, other)
      const guess = async (count: number): Promise<string[]> =>
        readCodes(nodes, count, (node, i) =>
          i % 2 === 0
            ? node.remove(WRONG, browser.visitor)
            : node.changePassword({ current: WRONG, password: 'a new pass phrase' }, browser.visitor),
        )
      for (let minute = 0; minute < 5; minute++) {
        expect(await guess(11)).toEqual([...repeat('wrong_password', 10), 'too_many_attempts'])
        clock.now += MINUTE_MS
      }
      expect(await guess(1)).toEqual(['too_many_in_session'])
      expect(await readCode(nodes[0].remove(PASSWORD, other.visitor))).toBe('none')
    })

    test('a session has 20 passwords a minute, right or wrong', async () => {
      const { email, browser } = await signUp()
      const codes = await readCodes(nodes, 21, (node) =>
        node.changeEmail({ email, password: PASSWORD }, browser.visitor),
      )
      expect(codes).toEqual([...repeat('none', 20), 'too_many_attempts'])
    })
  })

  test('10 sign-ups and uses of links of an address a minute', async () => {
    const { visitor } = newBrowser()
    const codes = await readCodes(nodes, 11, (node, i) =>
      i % 2 === 0
        ? node.verify({ token: 'x', password: PASSWORD }, visitor)
        : node.resetPassword({ token: 'x', password: PASSWORD }, visitor),
    )
    expect(codes).toEqual([...repeat('invalid_token', 10), 'too_many_attempts'])
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    expect(await readCode(nodes[0].register(form, visitor))).toBe('too_many_attempts')
    expect(await logIn(nodes[0], newEmail(), new TimedBrowser(visitor.address))).toBe('wrong_login')
  })

  test('10 wrong passwords of a link that confirms an address', async () => {
    const form = { name: 'Ann', email: newEmail(), password: PASSWORD, invite: null }
    await mailing[0].register(form, newBrowser().visitor)
    const token = await server.nextToken(form.email)
    const verify = (node: Accounts): Promise<unknown> => node.verify({ token, password: WRONG }, newBrowser().visitor)
    expect(await readCodes(mailing, 11, verify)).toEqual([...repeat('wrong_password', 10), 'too_many_attempts'])
    clock.now += MINUTE_MS
    expect(await readCode(mailing[0].verify({ token, password: PASSWORD }, newBrowser().visitor))).toBe('none')
  })

  describe('e-mails', () => {
    const register = (node: Accounts, email: string): Promise<unknown> =>
      node.register({ name: 'Ann', email, password: PASSWORD, invite: null }, newBrowser().visitor)
    const reset = (node: Accounts, email: string): Promise<unknown> => node.requestReset(email, newBrowser().visitor)
    const link = (node: Accounts, email: string): Promise<unknown> => node.requestLogInLink(email, newBrowser().visitor)

    test('3 a minute by a client', async () => {
      const { visitor } = newBrowser()
      const codes = await readCodes(mailing, 4, (node) => node.requestReset(newEmail(), visitor))
      expect(codes).toEqual([...repeat('none', 3), 'too_many_attempts'])
    })

    test('3 a minute to an address, whether it has an account or not', async () => {
      for (const email of [(await signUp()).email, newEmail()]) {
        const calls = [link, reset, register, reset, register]
        const codes = await readCodes(mailing, calls.length, (node, i) => calls[i](node, email))
        expect(codes).toEqual([...repeat('none', 3), ...repeat('too_many_attempts', 2)])
      }
    })

    test.each([
      ['resets', reset, 3],
      ['links to log in', link, 2],
      ['sign-ups', register, 3],
    ] as const)('%s: a share of a day, which others do not use up', async (_, request, share) => {
      const { email } = await signUp()
      const codes: string[] = []
      for (let i = 0; i < 5; i++) {
        for (const other of [register, reset, link].filter((one) => one !== request))
          await readCode(other(mailing[i % 2], email))
        clock.now += MINUTE_MS
        codes.push(await readCode(request(mailing[i % 2], email)))
        clock.now += MINUTE_MS
      }
      expect(codes).toEqual([...repeat('none', share), ...repeat('mails_used_up', 5 - share)])
      clock.now += DAY_MS
      expect(await readCode(request(mailing[0], email))).toBe('none')
    })

    test('who requests many at once takes no reset away: the last link works for 24 hours', async () => {
      const { email } = await signUp()
      let sent = 0
      for (let minute = 0; minute < 20; minute++) {
        const calls = [register, reset, link, reset, register, link, reset, register]
        const codes = await Promise.all(calls.map((call, i) => readCode(call(mailing[i % 2], email))))
        sent += codes.filter((code) => code === 'none').length
        await until(() => server.mails.filter(({ to }) => to.includes(email)).length, sent)
        clock.now += MINUTE_MS
      }
      const isReset = ({ to, text }: { to: readonly string[]; text: string }) =>
        to.includes(email) && text.includes('/reset?token=')
      const mails = server.mails.filter(isReset)
      const lifetimes = mails.map(({ text }) => /within (.*?)\./.exec(text)?.[1])
      expect(lifetimes).toHaveLength(3)
      // Of concurrent requests, more than one may count as the last.
      expect(lifetimes).toContain('24 hours')
      expect(sent).toBe(8)
      const [text] = mails.map((mail) => mail.text).filter((one) => one.includes('24 hours'))
      const token = /token=([\w-]+)/.exec(text)?.[1] ?? ''
      const form = { token, password: 'a new pass phrase' }
      expect(await readCode(mailing[0].resetPassword(form, newBrowser().visitor))).toBe('none')
    })

    test('a change of the address counts by session, and its notices are two a day', async () => {
      const { email, browser } = await signUp()
      const { visitor } = new TimedBrowser(browser.address)
      for (let i = 0; i < 4; i++) await readCode(mailing[0].requestReset(newEmail(), visitor))
      const codes: string[] = []
      for (let i = 0; i < 4; i++) {
        const change = { email: newEmail(), password: PASSWORD }
        codes.push(await readCode(mailing[i % 2].changeEmail(change, browser.visitor)))
        if (codes.at(-1) === 'none') await server.nextToken(change.email)
      }
      expect(codes).toEqual([...repeat('none', 3), 'too_many_attempts'])
      expect(server.mails.filter(({ to }) => to.includes(email))).toHaveLength(2)
    })
  })

  test('counters do not contain addresses of people, nor tokens', async () => {
    const counters: string[] = []
    const accounts = await openTestAccounts(stores[0].store, {
      smtpUrl: server.url,
      shared: {
        countRequest: ({ counter }) => {
          counters.push(counter)
          return Promise.resolve({ count: 0, entry: null })
        },
      },
    })
    const { email } = await signUp()
    await logIn(accounts, email, newBrowser(), WRONG)
    await accounts.requestLogInLink(email, newBrowser().visitor)
    const link = /link=([\w-]+)/.exec((await server.next(email)).text)?.[1] ?? 'none'
    await readCode(accounts.logIn({ email, password: WRONG, link }, newBrowser().visitor))
    expect(counters.length).toBeGreaterThan(10)
    expect(counters.join()).not.toContain('@')
    expect(counters.join()).not.toContain(link)
  })
})
