import { beforeAll, describe, expect, test } from 'vitest'
import { ASSETS } from '../../src/portal/assets.ts'
import { MAX_FORM_BYTES } from '../../src/portal/routes/portal.ts'
import { StoreError } from '../../src/store/types.ts'
import { openApp } from '../http/app-fixture.ts'
import { openEmbedded, overrideStore } from '../http/app-kinds.ts'
import { HOST, openPortal, PASSWORD, type PortalRequest, type TestPortal } from './portal-fixture.ts'

const CSP =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
const heading = (html: string): string | undefined => /<h1>(.*?)<\/h1>/.exec(html)?.[1]

let portal: TestPortal
beforeAll(async () => {
  portal = await openPortal()
})

describe('what a browser gets', () => {
  const JSON_BODY = { 'content-type': 'application/json' }
  const FORM = { email: 'ida@example.org' }
  test.each<[string, PortalRequest, number, string]>([
    ['the start page', { path: '/' }, 200, 'What is this site made with?'],
    ['a page', { path: '/login' }, 200, 'Log in'],
    ['the head of a page', { path: '/login', method: 'HEAD' }, 200, ''],
    ['a form with an error', { path: '/login', form: FORM }, 422, 'Log in'],
    ['an unknown page', { path: '/no-such-page' }, 404, 'Page not found'],
    ['a path that is too long', { path: `/account/keys/${'x'.repeat(500)}` }, 404, 'Page not found'],
    [
      'a form for a path that is too long',
      { path: `/admin/accounts/${'x'.repeat(500)}/plan`, form: FORM },
      404,
      'Page not found',
    ],
    ['a form for an unknown page', { path: '/no-such-page', form: FORM }, 404, 'Page not found'],
    ['a page that is only a form', { path: '/logout' }, 405, 'Not allowed here'],
    ['a wrong method', { path: '/login', method: 'PUT' }, 405, 'Not allowed here'],
    [
      'a form of another origin',
      { path: '/login', form: FORM, headers: { origin: 'https://evil.example' } },
      403,
      'Not allowed',
    ],
    ['a form of an unknown origin', { path: '/login', form: FORM, headers: { origin: 'null' } }, 403, 'Not allowed'],
    [
      'an origin with a user',
      { path: '/login', form: FORM, headers: { origin: `http://u@${HOST}` } },
      403,
      'Not allowed',
    ],
    [
      'an origin with a path',
      { path: '/login', form: FORM, headers: { origin: `http://${HOST}/` } },
      403,
      'Not allowed',
    ],
    ['the log-in after an ended session', { path: '/login?ended' }, 200, 'Log in'],
    ['a form without an origin', { path: '/login', form: FORM, headers: { origin: undefined } }, 403, 'Not allowed'],
    [
      'a body that is not a form',
      { path: '/login', form: '{"a": 1}', headers: JSON_BODY },
      400,
      'This request is not valid',
    ],
    ['a form that is too long', { path: '/login', form: `a=${'x'.repeat(MAX_FORM_BYTES)}` }, 413, 'Too much text'],
    ['an invalid Host header', { path: '/login', headers: { host: 'a b' } }, 400, 'This request is not valid'],
    ['a host that is not served', { path: '/login', headers: { host: "a'b" } }, 421, 'Not served here'],
    ['a host with an escape', { path: '/login', headers: { host: '%6cocalhost' } }, 400, 'This request is not valid'],
  ])('%s', async (_, request, status, title) => {
    const { headers, html, ...answer } = await portal.openBrowser().send(request)
    expect([answer.status, html === '' ? '' : heading(html)]).toEqual([status, title])
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CSP,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    if (status >= 400 && status !== 422) expect(html).toContain(`<code>${headers['x-request-id']}</code>`)
    if (status === 405) expect(headers.allow).toMatch(/^(?:GET|POST)\b.*OPTIONS$/)
    expect(html).not.toMatch(/ style=|<style|<script>| on\w+="/)
  })

  test('the same host without its default port is the same origin', async () => {
    const headers = { host: `${HOST}:80`, origin: `http://${HOST}` }
    expect((await portal.openBrowser().send({ path: '/login', form: FORM, headers })).status).toBe(422)
  })

  test('with PUBLIC_URL only its origin may send forms', async () => {
    const { openBrowser } = await openPortal({ settings: { publicUrl: 'https://siteprint.example' } })
    const send = async (origin: string) =>
      (await openBrowser().send({ path: '/login', form: FORM, headers: { origin } })).status
    expect(
      await Promise.all(['https://siteprint.example', `http://${HOST}`, 'http://siteprint.example'].map(send)),
    ).toEqual([422, 403, 403])
  })
})

describe('what is not a page', () => {
  test.each([
    ['an unknown path for a program', '/no-such-page', { accept: '*/*' }],
    ['an unknown path of the API', '/api/v1/nothing', { accept: 'text/html' }],
  ])('%s gets JSON', async (_, path, headers) => {
    const { headers: answered } = await portal.openBrowser().send({ path, headers })
    expect(answered['content-type']).toBe('application/json; charset=utf-8')
  })

  test('assets are cached by their content', async () => {
    const { html } = await portal.openBrowser().send({ path: '/' })
    const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
    expect(new Set(paths).size).toBe(3)
    for (const path of paths) {
      const { status, headers } = await portal.openBrowser().send({ path })
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable'])
    }
  })

  test('the style sheet has as many closing as opening braces: rules after a missing one would apply nowhere', async () => {
    const { content } = ASSETS.style
    const count = (brace: string): number => content.toString().split(brace).length
    expect(count('{')).toBe(count('}'))
  })

  test('without accounts there is no portal, and the start page leads to the documentation', async () => {
    const { fastify } = await openApp()
    const open = async (url: string): Promise<unknown[]> => {
      const { statusCode, headers } = await fastify.inject({ url, headers: { accept: 'text/html' } })
      return [statusCode, headers.location ?? headers['content-type']]
    }
    expect(await open('/')).toEqual([302, '/docs/'])
    expect(await open('/login')).toEqual([404, 'application/json; charset=utf-8'])
  })
})

describe('errors', () => {
  const stopped = async () => {
    throw new StoreError('the disk is gone')
  }

  test('a store that is away is a page with 503, and the log has its reason', async () => {
    const stores = await openEmbedded()
    const { signUp, log } = await openPortal({ stores })
    const { browser } = await signUp('ida@example.org')
    const store = overrideStore(stores.store, { method: 'listAccountKeys', run: stopped })
    const broken = await openPortal({ stores: { ...stores, store } })
    const form = { email: 'ida@example.org', password: PASSWORD }
    const { status, html } = await broken.openBrowser().send({ path: '/login', form })
    expect([status, heading(html)]).toEqual([503, 'Temporarily unavailable'])
    expect(html).not.toContain('disk')
    expect(broken.log()).toContain('"reason":"store_away","why":"the disk is gone"')
    expect(log() + broken.log()).not.toContain('ida@example.org')
    expect([...browser.cookies.keys()]).toEqual(['siteprint.session_token', 'siteprint.browser'])
  })
})
