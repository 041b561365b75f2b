import { describe, expect, test } from 'vitest'
import { readHar, readHarPages } from '../../../src/cli/formats/har.ts'
import { buildPage, detect } from '../../../src/index.ts'
import { openOwnRuleset } from '../../support/own-ruleset.ts'
import { entry, har, html, type ResponseParts } from './har-files.ts'

const at = (url: string, more: object = {}, response: ResponseParts = {}): object => entry({ ...response, url }, more)
const page = { pageref: 'page_1' }
const document = { _resourceType: 'document' }
const image = entry({ url: 'https://acme.com/a.png', type: 'image/png' })
const redirect = (status: number): object => entry({ url: 'http://acme.com/', status }, { ...document, ...page })

describe('the main document', () => {
  test.each<[string, object[], object?]>([
    ['the only one', [at('https://acme.com/')]],
    ['after redirects', [...[301, 302, 303, 307, 308].map(redirect), at('https://acme.com/', document)]],
    ['after other types', [image, entry({ url: 'https://acme.com/x', type: 'text/htmlx' }), at('https://acme.com/')]],
    ['XHTML', [at('https://acme.com/', {}, { type: 'Application/XHTML+XML; charset=utf-8' })]],
    ['with an error', [at('https://acme.com/', {}, { status: 404 })]],
    [
      'marked by the browser',
      [at('https://ads.example/'), at('https://acme.com/', document), at('https://b.com/', document)],
    ],
    [
      'of the first page',
      [at('https://old.example/'), at('https://acme.com/', page)],
      { pages: [{ id: 'page_1' }, { id: 'page_2' }] },
    ],
    ['of pages without entries', [at('https://acme.com/')], { pages: [{ id: 'page_9' }, null] }],
    [
      'by time',
      [
        at('https://b.com/', { startedDateTime: '2026-11-20T10:00:00.500Z' }),
        at('https://acme.com/', { startedDateTime: '2026-11-20T11:00:00.100+01:00' }),
      ],
    ],
    [
      'in order of the file if a time is missing',
      [at('https://acme.com/', { startedDateTime: '2026-11-20T10:00:00Z' }), at('https://b.com/')],
    ],
    ['without its fragment', [at('https://acme.com/#top')]],
    [
      'with an http or https URL',
      [at('chrome-extension://x/a.html'), at('data:text/html,x'), at('about:blank'), at('https://acme.com/')],
    ],
    [
      'among invalid entries',
      [null, 5, {}, [], { request: null }, { response: { content: null } }, at('https://acme.com/')] as object[],
    ],
  ])('%s', async (name, entries, log) => {
    const { loaded, ...found } = await readHar(har(entries, log))
    expect(found).toEqual({
      url: 'https://acme.com/',
      status: name === 'with an error' ? 404 : 200,
      headers: [],
      html,
      scripts: [],
      styles: [],
    })
  })

  test('its type may be only in its headers', async () => {
    const headers = [{ name: 'Content-Type', value: 'text/html' }]
    const file = har([image, entry({ headers, content: { text: html, mimeType: '' } })])
    expect(await readHar(file)).toMatchObject({ headers: [['Content-Type', 'text/html']], html })
  })
})

describe('its fields', () => {
  test.each<[string, unknown, unknown]>([
    [
      'pairs, in order',
      [
        { name: 'B', value: '1' },
        { name: 'a', value: '' },
      ],
      [
        ['B', '1'],
        ['a', ''],
      ],
    ],
    [
      'several values in one',
      [{ name: 'set-cookie', value: 'a=1\nb=2' }],
      [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
    ],
    [
      'no pseudo-headers of HTTP/2',
      [
        { name: ':status', value: '200' },
        { name: 'server', value: 'x' },
      ],
      [['server', 'x']],
    ],
    ['no others', [null, 5, {}, { name: 'a' }, { name: 1, value: 'x' }, { name: 'a', value: 2 }], []],
    ['not recorded', null, null],
  ])('headers: %s', async (_, headers, expected) => {
    expect((await readHar(har([entry({ headers })]))).headers).toEqual(expected)
  })

  test.each<[unknown, unknown]>([
    [200, 200],
    [304, 304],
    [0, null],
    [99.5, null],
    ['200', null],
    [undefined, 200],
  ])('status %s', async (status, expected) => {
    expect((await readHar(har([entry({ status })]))).status).toBe(expected)
  })

  const utf16 = Buffer.from(`\ufeff${html}`, 'utf16le')
  test.each<[string, object, unknown]>([
    ['text', { text: html }, html],
    ['empty text', { text: '' }, ''],
    ['absent, with size 0', { size: 0 }, ''],
    ['base64', { text: utf16.toString('base64'), encoding: 'base64' }, utf16],
  ])('content: %s', async (_, content, expected) => {
    const found = await readHar(har([entry({ content: { mimeType: 'text/html', ...content } })]))
    expect(found.html).toEqual(expected)
  })
})

test('a page reaches the engine unchanged: headers count, and bytes are decoded accordingly', async () => {
  const text = Buffer.from(
    '<meta name="generator" content="WordPress 6.6"><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>',
    'latin1',
  )
  const headers = Object.entries({
    'content-type': 'text/html; charset=windows-1251',
    'content-encoding': 'br',
    server: 'Vercel',
  })
  const content = { mimeType: 'text/html', text: text.toString('base64'), encoding: 'base64' }
  const built = buildPage(
    await readHar(har([entry({ headers: headers.map(([name, value]) => ({ name, value })), content })])),
  )
  expect(built.title).toBe('Привет')
  expect(detect(openOwnRuleset(), built)).toMatchObject({ builder: 'WordPress', hosting: 'Vercel' })
})

describe('the URLs that its page loaded', () => {
  const of = (url: string, headers: Record<string, string>, more: object = {}, parts: ResponseParts = {}): object => {
    const pairs = Object.entries(headers).map(([name, value]) => ({ name, value }))
    return { ...entry({ url, type: 'x/y', ...parts }, more), request: { method: 'GET', url, headers: pairs } }
  }
  const dest = (destination: string): Record<string, string> => ({ 'Sec-Fetch-Dest': destination })
  test.each<[string, object, string | null]>([
    ['a script of another host', of('https://cdn.example/a.js#x', dest('script')), 'script https://cdn.example/a.js'],
    ['a style sheet', of('https://acme.com/a.css', dest('style')), 'asset https://acme.com/a.css'],
    ['a frame', of('https://video.example/1', dest('iframe')), 'frame https://video.example/1'],
    ['a request of a script', of('https://api.example/1.js', dest('empty')), null],
    ['the address of the page itself', of('https://acme.com/', dest('image')), null],
    ['another scheme', of('data:text/css,x', dest('style')), null],
    ['by resource type', of('https://acme.com/a', {}, { _resourceType: 'font' }), 'asset https://acme.com/a'],
    ['a page by resource type', of('https://acme.com/a', {}, { _resourceType: 'xhr' }), null],
    ['by type', of('https://acme.com/a', {}, {}, { type: 'text/javascript' }), 'script https://acme.com/a'],
    [
      'by type of the headers',
      of(
        'https://acme.com/a',
        {},
        {},
        {
          headers: [{ name: 'Content-Type', value: 'image/png' }],
          content: {},
        },
      ),
      'asset https://acme.com/a',
    ],
    ['of another type', of('https://acme.com/a', {}, {}, { type: 'application/json' }), null],
    [
      'even if it failed',
      of('https://acme.com/a.js', dest('script'), {}, { status: 0 }),
      'script https://acme.com/a.js',
    ],
    [
      'with the page as referrer',
      of('https://b.example/a.js', { ...dest('script'), Referer: 'https://acme.com/x' }),
      'script https://b.example/a.js',
    ],
    [
      'that a frame loaded',
      of('https://b.example/a.js', { ...dest('script'), referer: 'https://video.example/' }),
      null,
    ],
    ['of another page', of('https://b.example/a.js', dest('script'), { pageref: 'page_2' }), null],
  ])('%s', async (_, one, expected) => {
    const { loaded = [] } = await readHar(har([entry({}), one]))
    expect(loaded?.map(({ kind, url }) => `${kind} ${url}`)).toEqual(expected === null ? [] : [expected])
  })

  test('count like those in its HTML', async () => {
    const file = har([entry({}), of('https://www.googletagmanager.com/gtm.js?id=GTM-ABCDEF', dest('script'))])
    expect(detect(openOwnRuleset(), buildPage(await readHar(file))).technologies).toContain('Google Tag Manager')
    expect(detect(openOwnRuleset(), buildPage(await readHar(har([entry({})])))).technologies).toEqual([])
  })
})

test('each page has the entries with its pageref', async () => {
  const shell = '<!doctype html><script src=/main.js></script>'
  const pageEntries = (pageref: string, marked: object): object[] => {
    const content = { text: shell.replace('/main', `/${pageref}`), mimeType: 'text/html' }
    const main = { text: pageref, mimeType: 'text/javascript' }
    return [
      entry({ url: `https://acme.com/${pageref}`, content }, { pageref, ...marked }),
      entry({ url: 'https://acme.com/p1.js', content: main }, { pageref }),
      entry({ url: 'https://acme.com/p2.js', content: main }, { pageref }),
      at('https://ads.example/frame', { pageref }),
    ]
  }
  for (const marked of [document, {}]) {
    const entries = [...pageEntries('p1', marked), at('https://old.example/'), ...pageEntries('p2', marked)]
    const { pages } = await readHarPages(har(entries, { pages: [{ id: 'p1' }, { id: 'p2' }] }))
    expect(pages.map(({ url, scripts }) => [url, scripts])).toEqual(
      ['p1', 'p2'].map((id) => [`https://acme.com/${id}`, [{ url: `https://acme.com/${id}.js`, text: id }]]),
    )
  }
})

describe('pages that one tab opened one after the other', () => {
  const to = (destination: string): object => ({
    request: {
      method: 'GET',
      url: 'https://acme.com/2',
      headers: [{ name: 'sec-fetch-dest', value: destination }],
    },
  })
  const frame = (id: string): object => ({ ...document, _frameref: id })
  test.each<[string, first: object, second: object, count: number, leftOut: number, response?: ResponseParts]>([
    ['by Sec-Fetch-Dest', document, to('document'), 2, 0],
    ['without the mark of the browser', {}, to('document'), 2, 0],
    ['by the frame of Playwright', frame('f1'), frame('f1'), 2, 0],
    ['a frame by Sec-Fetch-Dest', document, { ...document, ...to('iframe') }, 1, 0],
    ['a frame of Playwright', frame('f1'), frame('f2'), 1, 0],
    ['a page or a frame', document, document, 1, 1],
    ['HTML that a script requested', document, { ...to('empty'), _resourceType: 'fetch' }, 1, 0],
    ['without text', frame('f1'), frame('f1'), 1, 1, { content: { mimeType: 'text/html', size: 10 } }],
  ])('%s', async (_, first, second, count, leftOut, response = {}) => {
    const script = at('https://acme.com/1.js', { ...page }, { type: 'text/javascript' })
    const marked = second === document || !('request' in second) ? second : { ...first, ...second }
    const found = await readHarPages(
      har([
        at('https://acme.com/1', { ...page, ...first }),
        script,
        at('https://acme.com/2', { ...page, ...marked }, response),
        at('https://acme.com/2.js', { ...page }, { type: 'text/javascript' }),
      ]),
    )
    const numbers = ['1', '2'].slice(0, count)
    const loaded = count === 2 ? numbers.map((number) => [number]) : [['1', '2']]
    const urls = (all: readonly string[]): string[] => all.map((number) => `https://acme.com/${number}.js`)
    expect(found.leftOut).toBe(leftOut)
    expect(found.pages.map(({ url }) => url)).toEqual(numbers.map((number) => `https://acme.com/${number}`))
    if (response.content === undefined)
      expect(found.pages.map((one) => one.loaded?.map(({ url }) => url))).toEqual(
        loaded.map((all) => expect.arrayContaining(urls(all))),
      )
    if (count === 2) expect(found.pages[1].loaded).toHaveLength(1)
  })
})

test('an image is not a script, whatever its name', async () => {
  const content = { text: '<!doctype html><script src=/a.js></script>', mimeType: 'text/html' }
  const file = har([
    entry({ content }),
    entry({ url: 'https://acme.com/a.js', content: { text: 'x', mimeType: 'image/png' } }),
  ])
  expect((await readHar(file)).scripts).toEqual([])
})

test('scripts and style sheets are those of its other entries', async () => {
  const shell =
    '<!doctype html><script type=module src=/main.js></script><script src=/b.js></script><link rel=stylesheet href=a.css>'
  const body = (url: string, text: string, more: object = {}): object =>
    entry({ url, type: 'text/javascript', content: { text, mimeType: 'text/javascript', ...more } })
  const file = har([
    entry({ content: { text: shell, mimeType: 'text/html' } }),
    body('https://acme.com/main.js#x', 'let a'),
    body('https://acme.com/main.js', 'let second'),
    body('https://acme.com/a.css', Buffer.from('a{}').toString('base64'), { encoding: 'base64' }),
    body('https://acme.com/chunk.js', 'let chunk'),
    entry({ url: 'https://acme.com/b.js', status: 404 }),
  ])
  const page = await readHar(file)
  expect(page.scripts).toEqual([{ url: 'https://acme.com/main.js', text: 'let a' }])
  expect(page.styles).toEqual([{ url: 'https://acme.com/a.css', text: Buffer.from('a{}') }])
  expect(buildPage(page)).toMatchObject({ bundles: { isComplete: false }, stylesheets: { isComplete: true } })
})
