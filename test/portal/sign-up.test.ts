import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AccountError } from '../../src/accounts/accounts.ts'
import { StoreError } from '../../src/store/types.ts'
import { openEmbedded, overrideStore } from '../http/app-kinds.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { HOST, openPortal, PASSWORD, type PortalAnswer, type TestPortal } from './portal-fixture.ts'

const heading = ({ html }: PortalAnswer): string | undefined => /<h1>(.*?)<\/h1>/.exec(html)?.[1]
const findSecret = ({ html }: PortalAnswer): string => /spk_live_\w+/.exec(html)?.[0] ?? ''
const FORM = { name: 'Ida Holm', email: 'ida@example.org', password: PASSWORD }

let portal: TestPortal
beforeAll(async () => {
  portal = await openPortal()
  await portal.signUp('taken@example.org')
})

describe('sign-up', () => {
  test('shows the default key once, with a command line for the address of the request', async () => {
    const { answer, browser } = await portal.signUp('first@example.org')
    const secret = findSecret(answer)
    expect([answer.status, heading(answer), answer.headers['cache-control']]).toEqual([200, 'Your API key', 'no-store'])
    expect(answer.html).toContain(
      `curl -s -H 'Authorization: Bearer ${secret}' 'http://${HOST}/api/v1/scan?url=https://example.org'`,
    )
    const me = await portal.fastify.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${secret}` } })
    expect(me.json()).toMatchObject({ name: 'Default key', email: 'first@example.org', plan: 'free' })
    expect((await browser.send({ path: '/' })).html).not.toContain(secret)
  })

  test('a form that is sent again leads to the keys', async () => {
    const { browser } = await portal.signUp('again@example.org')
    const again = await browser.send({ path: '/signup', form: { ...FORM, email: 'Again@example.org' } })
    expect([again.status, heading(again)]).toEqual([200, 'Your account exists'])
    expect(again.html).toContain('href="/account/keys"')
  })

  test('continues where the person wanted to go', async () => {
    const browser = portal.openBrowser()
    const url = 'https://bakery.example/?a=1&b=2'
    const { html } = await browser.send({ path: `/signup?url=${encodeURIComponent(url)}` })
    const next = `/scan?url=${encodeURIComponent(url)}`
    expect(html).toContain(`name="next" value="${next}"`)
    const answer = await browser.send({ path: '/signup', form: { ...FORM, email: 'next@example.org', next } })
    expect(answer.html).toContain(`href="${next}"`)
  })

  test.each([
    ['name', { ...FORM, name: '' }, 'Enter a name'],
    ['email', { ...FORM, email: 'ida' }, 'Enter an e-mail address'],
    ['password', { ...FORM, password: 'short' }, 'at least 10 characters'],
    ['email', { ...FORM, email: 'TAKEN@example.org' }, 'already an account'],
  ])('an error is next to its field, the values stay, the password does not: %s', async (field, form, sentence) => {
    const { status, html } = await portal.openBrowser().send({ path: '/signup', form })
    expect(status).toBe(422)
    expect(html).toMatch(
      new RegExp(`<div class="field invalid"><label for="${field}">[^]*?id="${field}-error">[^]*?${sentence}`),
    )
    expect(html).toMatch(new RegExp(`autofocus[^]*<a href="#${field}">[^<]*${sentence}`))
    expect(html).toMatch(new RegExp(`aria-describedby="[^"]*${field}-error"[^>]*aria-invalid="true"`))
    if (form.email !== '') expect(html).toContain(`value="${form.email}"`)
    expect(html).not.toContain(form.password)
  })

  test('text of people is text', async () => {
    const name = `"><script>alert(1)</script>&'`
    const { html } = await portal.openBrowser().send({ path: '/signup', form: { ...FORM, name, email: '<b>' } })
    expect(html).not.toMatch(/<script>|<b>/)
  })

  test('without the store, the account stays and log-in leads to the keys', async () => {
    const stores = await openEmbedded()
    const stopped = async () => {
      throw new StoreError('the disk is full')
    }
    const store = overrideStore(stores.store, { method: 'createDefaultKey', run: stopped })
    const { openBrowser, log } = await openPortal({ stores: { ...stores, store } })
    const browser = openBrowser()
    const answer = await browser.send({ path: '/signup', form: FORM })
    expect([answer.status, heading(answer)]).toEqual([503, 'Your account is ready, but has no key yet'])
    expect(log()).toContain('a default key could not be created')
    expect((await browser.send({ path: '/login' })).headers.location).toBe('/account')
    const again = await openBrowser().send({ path: '/login', form: FORM })
    expect([again.status, again.headers.location]).toEqual([303, '/account/keys'])
  })
})

describe('the link that confirms an address', () => {
  let mails: MailServer
  let mailing: TestPortal
  beforeAll(async () => {
    mails = await startMailServer()
    mailing = await openPortal({ smtpUrl: mails.url })
  })
  afterAll(() => mails.stop())

  async function requestLink(email: string): Promise<string> {
    const answer = await mailing.openBrowser().send({ path: '/signup', form: { ...FORM, email } })
    expect(heading(answer)).toBe('Check your e-mail')
    return mails.nextToken(email)
  }
  const post = (form: Readonly<Record<string, string>>): Promise<PortalAnswer> =>
    mailing.openBrowser().send({ path: '/verify', form })

  test('asks for the password, even after a wrong one', async () => {
    const token = await requestLink('confirm@example.org')
    const page = await mailing.openBrowser().send({ path: `/verify?token=${token}` })
    expect(page.html).toMatch(/type="password"/)
    const wrong = await post({ token, password: 'not the password' })
    expect([wrong.status, wrong.html.includes('id="password-error"')]).toEqual([422, true])
    expect(wrong.html).not.toContain('not the password')
    expect(heading(await post({ token, password: PASSWORD }))).toBe('Your API key')
  })

  test('is voided without a password', async () => {
    const token = await requestLink('discard@example.org')
    expect(heading(await post({ token, discard: 'yes' }))).toBe('The link no longer works')
    expect(heading(await post({ token, password: PASSWORD }))).toBe('This link is no longer valid')
  })
})

describe('who may sign up', () => {
  test.each([
    ['off', '/signup', 'Sign-up is closed'],
    ['off', '/signup?invite=x', 'Sign-up is closed'],
    ['invite', '/signup', 'Sign-up is by invitation'],
    ['invite', '/signup?invite=x', 'Sign-up is by invitation'],
  ] as const)('SIGNUP=%s: %s', async (signUp, path, title) => {
    const { openBrowser } = await openPortal({ signUp })
    expect(heading(await openBrowser().send({ path }))).toBe(title)
    const { status, html } = await openBrowser().send({ path: '/signup', form: { ...FORM, invite: 'x' } })
    expect(status).toBe(422)
    const code = signUp === 'off' ? 'sign_up_off' : 'invalid_invite'
    expect(html).toContain(new AccountError(code).message)
    expect((await openBrowser().send({ path: '/' })).html.includes('href="/signup"')).toBe(signUp !== 'off')
  })
})

describe('an invitation is checked when its page is opened', () => {
  test('a valid one shows the form', async () => {
    const { store, openBrowser } = await openPortal({ signUp: 'invite' })
    const hash = createHash('sha256').update('good').digest('hex')
    await store.accounts.createInvite({ hash, expiresAt: new Date(Date.now() + 60_000) })
    expect(heading(await openBrowser().send({ path: '/signup?invite=good' }))).toBe('Create your account')
  })

  test('another one is rejected at once, a few times per minute', async () => {
    const { openBrowser } = await openPortal({ signUp: 'invite' })
    const browser = openBrowser()
    const answers: PortalAnswer[] = []
    for (let i = 0; i < 11; i++) answers.push(await browser.send({ path: '/signup?invite=bad' }))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(422), 429])
    expect(answers[0].html).toContain(new AccountError('invalid_invite').message)
    expect(answers[0].html).not.toContain('type="password"')
  })
})

describe('log-in', () => {
  test('leads to the page that needed it', async () => {
    const browser = portal.openBrowser()
    await portal.signUp('log-in@example.org', portal.openBrowser())
    const form = { email: 'log-in@example.org', password: PASSWORD, next: '/scan?url=https%3A%2F%2Fexample.org' }
    const { status, headers } = await browser.send({ path: '/login', form })
    expect([status, headers.location]).toEqual([303, form.next])
    expect((await browser.send({ path: '/login' })).headers.location).toBe('/account')
    expect((await browser.send({ path: '/' })).html).toContain('log-in@example.org')
    const out = await browser.send({ path: '/logout', form: {} })
    expect([out.status, out.headers.location]).toEqual([303, '/'])
    expect([...browser.cookies.keys()]).toEqual(['siteprint.browser'])
  })

  test.each([
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/%0d%0aSet-Cookie: a=b',
    'javascript:alert(1)',
  ])('leads to no other host: %s', async (next) => {
    const email = `to-${Buffer.from(next).toString('hex')}@example.org`
    await portal.signUp(email)
    const { headers } = await portal.openBrowser().send({ path: '/login', form: { email, password: PASSWORD, next } })
    expect(headers.location).toMatch(/^\/(?:account$|%0)/)
  })

  test('a wrong password keeps the address', async () => {
    const form = { email: 'ida@example.org', password: 'not the password' }
    const { status, html } = await portal.openBrowser().send({ path: '/login', form })
    expect(status).toBe(422)
    expect(html).toContain(new AccountError('wrong_login').message)
    expect(html).toContain('value="ida@example.org"')
    expect(html).not.toContain(form.password)
  })

  test('too many attempts have a time to wait', async () => {
    const browser = portal.openBrowser()
    const answers: PortalAnswer[] = []
    while (answers.at(-1)?.status !== 429 && answers.length < 50)
      answers.push(await browser.send({ path: '/login', form: { email: 'many@example.org', password: 'x' } }))
    const { headers, html } = answers.at(-1) as PortalAnswer
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(html).toContain(new AccountError('too_many_attempts').message)
  })
})

test.each([
  ['/forgot', 'This service sends no e-mail. Ask its operator'],
  ['/signup', 'This service sends no e-mail. If you forget your password'],
])('without e-mail %s says whom to ask', async (path, sentence) => {
  expect((await portal.openBrowser().send({ path })).html).toContain(sentence)
})

test('links that do not work say what to do', async () => {
  const { openBrowser } = portal
  const answers = [
    await openBrowser().send({ path: '/reset' }),
    await openBrowser().send({ path: '/verify' }),
    await openBrowser().send({ path: '/verify', form: { token: 'none' } }),
    await openBrowser().send({ path: '/reset', form: { token: 'none', password: PASSWORD } }),
  ]
  expect(answers.map((answer) => [answer.status, heading(answer)])).toEqual([
    [400, 'This link is not complete'],
    [400, 'This link is no longer valid'],
    [422, 'This link is no longer valid'],
    [422, 'Choose a new password'],
  ])
})
