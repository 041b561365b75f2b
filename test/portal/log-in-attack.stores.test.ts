import { beforeAll, describe, expect, test } from 'vitest'
import { findAppKind } from '../http/app-kinds.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { readText } from './people.ts'
import { openPortal, PASSWORD, type PortalAnswer, type TestBrowser, type TestPortal } from './portal-fixture.ts'

/** Addresses that guess. */
const ATTACKERS = 200
/** Addresses that guess at the same time. */
const AT_ONCE = 20
const NEW_PASSWORD = 'copper kettle on the moon'

const kind = await findAppKind('attacks on log-ins')
describe.skipIf(kind.isMissing).each([kind])('200 addresses guess in a minute, on $name', ({ open, isShared }) => {
  /** Guesses of each address: in the system suite as many as an address has. */
  const GUESSES = isShared ? 10 : 2
  let server: MailServer
  let nodes: readonly [TestPortal, TestPortal]
  const email = `owner-${Date.now()}@harbourline.example`
  /** Browsers in which the owner has logged in before, and one that is logged in. */
  let known: TestBrowser
  let loggedIn: TestBrowser
  let answers: readonly PortalAnswer[]

  beforeAll(async () => {
    server = await startMailServer()
    onFileEnd(() => server.stop())
    const options = { settings: { trustProxy: 1 }, smtpUrl: server.url, now: Date.now() }
    const first = await openPortal({ ...options, stores: await open() })
    nodes = [first, isShared ? await openPortal({ ...options, stores: await open() }) : first]
    ;[known, loggedIn] = [first.openBrowser(), first.openBrowser()]
    await first.signUp(email)
    const form = { token: await server.nextToken(email), password: PASSWORD }
    expect((await known.send({ path: '/verify', form })).status).toBe(200)
    for (const browser of [known, loggedIn]) expect(await logIn(browser)).toBe(303)
    await known.send({ path: '/logout', form: {} })
    answers = await attack()
  })

  const logIn = async (browser: TestBrowser, more: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await browser.send({ path: '/login', form: { email, password: PASSWORD, ...more } })).status

  /** All guesses of an address. Half of the addresses are IPv4, the others are networks of one /32. */
  async function guess(i: number): Promise<readonly PortalAnswer[]> {
    const address = i % 2 === 0 ? `203.0.113.${i}` : `2001:db8:${i.toString(16)}:${i}::${i}`
    const browser = nodes[i % 2].openBrowser()
    const all = []
    for (let n = 0; n < GUESSES; n++) {
      const form = { email, password: `guess number ${n}` }
      all.push(await browser.send({ path: '/login', form, headers: { 'x-forwarded-for': address } }))
    }
    return all
  }

  /** A part of the addresses at a time: pages for all of them at once would block the event loop, and Redis would count as dead. */
  async function attack(): Promise<readonly PortalAnswer[]> {
    const all: PortalAnswer[] = []
    for (let first = 0; first < ATTACKERS; first += AT_ONCE) {
      const part = Array.from({ length: AT_ONCE }, (_, i) => guess(first + i))
      all.push(...(await Promise.all(part)).flat())
    }
    return all
  }

  test('100 passwords are compared, and no guess is answered by 429', () => {
    const compared = answers.filter(({ html }) => html.includes('The e-mail address or the password is wrong.'))
    const refused = answers.filter(({ html }) => html.includes('Log in with a link'))
    expect([compared.length, refused.length]).toEqual([100, ATTACKERS * GUESSES - 100])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422]))
  })

  async function logInWithKnownBrowser(): Promise<void> {
    for (const { openBrowser } of nodes) {
      const browser = openBrowser()
      for (const [name, value] of known.cookies) browser.cookies.set(name, value)
      expect(await logIn(browser)).toBe(303)
      await browser.send({ path: '/logout', form: {} })
    }
  }

  async function logInByLink(): Promise<void> {
    const browser = nodes[1].openBrowser()
    const page = await browser.send({ path: '/login', form: { email, password: PASSWORD } })
    expect(page.status).toBe(422)
    expect(readText(page.html)).toContain(`Many wrong passwords were entered for ${email} today.`)
    expect(page.html).toContain('<form method="post" action="/login/link"')
    const sent = await browser.send({ path: '/login/link', form: { email } })
    expect(readText(sent.html)).toContain('a link is on its way to it')
    const { text } = await server.next(email)
    const link = /\/login\?link=([\w-]+)/.exec(text)?.[1] ?? ''
    const opened = await browser.send({ path: `/login?link=${link}` })
    expect(opened.html).toContain(`<input type="hidden" name="link" value="${link}"`)
    expect(await logIn(browser, { link })).toBe(303)
    await browser.send({ path: '/logout', form: {} })
    expect(await logIn(browser)).toBe(303)
  }

  test('the page for the link is the same for an address without an account', async () => {
    const browser = nodes[0].openBrowser()
    const sent = await browser.send({ path: '/login/link', form: { email: 'nobody@harbourline.example' } })
    expect(sent.status).toBe(200)
    expect(readText(sent.html)).toContain('If nobody@harbourline.example has an account, a link is on its way to it.')
  })

  async function changePasswordAndDelete(): Promise<void> {
    const form = { current: PASSWORD, password: NEW_PASSWORD }
    expect((await loggedIn.send({ path: '/account/settings/password', form })).status).toBe(303)
    const former = known.cookies.get('siteprint.browser') ?? ''
    const browser = nodes[0].openBrowser()
    browser.cookies.set('siteprint.browser', former)
    expect(await logIn(browser, { password: NEW_PASSWORD })).toBe(422)
    const deletion = { confirmation: 'delete', password: NEW_PASSWORD }
    expect((await loggedIn.send({ path: '/account/delete', form: deletion })).headers.location).toBe('/goodbye')
    expect([...loggedIn.cookies]).toEqual([])
  }

  test('the owner logs in with a known browser on each node, with another one by a link, and changes and deletes the account', async () => {
    await logInWithKnownBrowser()
    await logInByLink()
    await changePasswordAndDelete()
  })
})
