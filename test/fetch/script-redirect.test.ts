import { describe, expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { followRefresh } from '../../src/fetch/redirect.ts'
import { findScriptRedirect } from '../../src/fetch/script-redirect.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver, openScene, PUBLIC } from './scene.ts'

const find = (html: string): string | null => findScriptRedirect(Buffer.from(html), 'text/html; charset=utf-8')
const page = (script: string): string => `<!doctype html><title>Moving</title><script>${script}</script>`

describe('the script', () => {
  test.each<[script: string, address: string | null]>([
    [`location = '/next'`, '/next'],
    [`location="/next";`, '/next'],
    ['location=`/next`', '/next'],
    [`location.href = '/next'`, '/next'],
    [`location . href='/next' ; `, '/next'],
    [`location.replace('/next')`, '/next'],
    [`location.assign( "/next" );`, '/next'],
    [`window.location = '/next'`, '/next'],
    [`window.location.href = "https://www.example.org/?a=1&b=2#c"`, 'https://www.example.org/?a=1&b=2#c'],
    [`document.location = '/next'`, '/next'],
    [`top.location.href='/next'`, '/next'],
    [`self.location.replace('/next');`, '/next'],
    [`parent.location='/next'`, '/next'],
    [`window.top.location='/next'`, '/next'],
    [`window.document.location.href='/next'`, '/next'],
    [`"use strict"; location='/next'`, '/next'],
    [`<!--\nlocation='/next'\n//-->`, '/next'],
    [`//<![CDATA[\nlocation='/next'\n//]]>`, '/next'],
    [`\n\tlocation =\n'/next'\n`, '/next'],
    [`location='https:\\/\\/www.example.org\\/'`, 'https://www.example.org/'],
    [`location='\\x2fnext\\u002f'`, '/next/'],
    [`location='/it\\'s'`, `/it's`],
    [`location='/prijs/größe'`, '/prijs/größe'],
    [`location = next`, null],
    [`location = '/a' + '/b'`, null],
    ['location = `/$' + '{next}`', null],
    [`location = '/a\\nb'`, null],
    [`location = '\\\\\\\\example.net'`, null],
    [`location = '/a\nb'`, null],
    [`if (a) location = '/next'`, null],
    [`location = '/a'; location = '/b'`, null],
    [`location = '/a', b()`, null],
    [`b(); location = '/a'`, null],
    [`location.hash = '/a'`, null],
    [`location.pathname = '/a'`, null],
    [`location == '/a'`, null],
    [`location.replace('/a', b)`, null],
    [`location.reload()`, null],
    [`mylocation = '/a'`, null],
    [`a.location = '/a'`, null],
    [`window.a.location = '/a'`, null],
    [`top.window.self.location = '/a'`, null],
    [`var location = '/a'`, null],
    [`// location = '/a'`, null],
    [`"location = '/a'"`, null],
    [`setTimeout(() => { location = '/a' }, 5000)`, null],
    [`location = '/${'a'.repeat(9000)}'`, null],
  ])('%s leads to %j', (script, address) => {
    expect(find(page(script))).toBe(address)
  })
})

const script = `<script>location = '/next'</script>`
describe('the page', () => {
  test.each<[name: string, html: string, isFollowed: boolean]>([
    ['with nothing else', script, true],
    ['with white space', `<body>\n&nbsp; <p>\t</p>${script}`, true],
    ['with a title, a style and a comment', `<title>A</title><style>a{}</style><!-- b -->${script}`, true],
    ['with text for browsers without scripts', `<noscript>Please <a href=/b>continue</a>.</noscript>${script}`, true],
    ['with a template', `<template><template>a</template>b</template>${script}`, true],
    ['with data', `<script type="application/ld+json">{"location": 1}</script>${script}`, true],
    ['with a type', `<script language=javascript type='text/JavaScript'>location = '/next'</script>`, true],
    ['whose script is not closed', `<script>location = '/next'`, true],
    ['in capitals', `<SCRIPT>location = '/next'</SCRIPT>`, true],
    ['with text before', `<p>Welcome${script}`, false],
    ['with text after', `${script}<p>Welcome`, false],
    ['with a second script', `${script}<script>a()</script>`, false],
    ['with the same script again', `${script}${script}`, false],
    ['with a script that has a URL', `<script src=/a.js></script>${script}`, false],
    ['whose script has a URL', `<script src=/a.js>location = '/next'</script>`, false],
    ['whose script is data', `<script type="text/template">location = '/next'</script>`, false],
    ['whose script is in noscript', `<noscript>${script}</noscript>`, false],
    ['whose script is in a template', `<template><template></template>${script}</template>`, false],
    ['whose script is in a comment', `<!-- ${script} -->`, false],
    ['with another base', `<base href="https://www.example.net/">${script}`, false],
    ['of more than 64 KiB', `${' '.repeat(65_536)}${script}`, false],
    ['without a script', 'location = ', false],
    ['that is empty', '', false],
  ])('%s', (_, html, isFollowed) => {
    expect(find(html)).toBe(isFollowed ? '/next' : null)
  })
})

test.each<[address: string, url: string | null]>([
  ['next', 'https://example.org/a/next'],
  ['//www.example.net', 'https://www.example.net/'],
  ['http://127.0.0.1/', null],
  ['http://2130706433/', null],
  ['http://[::ffff:7f00:1]/', null],
  ['//169.254.169.254/latest/meta-data', null],
  ['http://localhost/', null],
  ['http://printer.lan/', null],
  ['http://example.org:22/', null],
  ['http://a:b@example.org/', null],
  ['javascript:alert(1)', null],
  ['data:text/html,a', null],
  ['file:///etc/passwd', null],
  [`/${'a'.repeat(2048)}`, null],
])('a script that assigns %s leads to %s', (address, url) => {
  const from = parseTarget('https://example.org/a/b', DEFAULT_POLICY)
  const response = { status: 200, headers: [], body: null as never }
  expect(
    followRefresh(response, Buffer.from(page(`location = '${address}'`)), from, DEFAULT_POLICY)?.url.href ?? null,
  ).toBe(url)
})

test('a refresh of the page comes before its script', () => {
  const from = parseTarget('https://example.org/', DEFAULT_POLICY)
  const html = Buffer.from(`<meta http-equiv=refresh content="0;url=/first">${script}`)
  expect(
    followRefresh({ status: 200, headers: [], body: null as never }, html, from, DEFAULT_POLICY)?.url.pathname,
  ).toBe('/first')
})

const SITE = 'http://pub.example.org/'
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'pub.example.org': [PUBLIC],
  'private.example.org': ['10.0.0.1'],
  'mixed.example.org': [PUBLIC, '127.0.0.1'],
}

describe('a site whose script assigns', () => {
  test.each<[name: string, to: (turn: number) => string, url: string, requests: number]>([
    ['another page is followed', () => '/next', `${SITE}next`, 2],
    ['its own address is read once', () => SITE, SITE, 1],
    ['another page of the same kind each time is followed five times', (turn) => `/${turn}`, `${SITE}5`, 6],
    ['a private address is the result', () => 'http://127.0.0.1/', SITE, 1],
    ['a name with a private address is the result', () => 'http://private.example.org/', SITE, 1],
    ['a name with a private address among others is the result', () => 'http://mixed.example.org/', SITE, 1],
    ['an unknown name is the result', () => 'http://unknown.example.org/', SITE, 1],
    ['an address that redirects inward is the result', () => '/inward', SITE, 2],
  ])('%s', async (_, to, url, requests) => {
    const scene = await openScene((requested, response) => {
      if (requested.endsWith('/inward'))
        response.writeHead(302, { location: 'http://10.0.0.1/', 'content-length': 0 }).end()
      else
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(requested.endsWith('/next') ? '<p>next' : page(`location = '${to(scene.requests.length)}'`))
    })
    const resolver = createResolver((host) => ADDRESSES[host] ?? [])
    const options = { resolver, policy: DEFAULT_POLICY, evidence: [], ...(scene.dial && { dial: scene.dial }) }
    const site = await fetchText(SITE, options)
    await scene.close()
    expect({ url: site.url, requests: scene.requests.length }).toEqual({ url, requests })
    expect(scene.contacts.filter((contact) => !contact.startsWith(PUBLIC))).toEqual([])
  })
})
