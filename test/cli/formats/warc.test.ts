import { statSync } from 'node:fs'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readWarc } from '../../../src/cli/formats/warc.ts'
import { buildPage, detect } from '../../../src/index.ts'
import { openOwnRuleset } from '../../support/own-ruleset.ts'
import {
  formatPage,
  type Headers,
  HTML,
  PACKINGS,
  packedEach,
  pageRecord,
  plain,
  readPages,
  record,
  response,
  titled,
  writeWarc,
} from './warc-files.ts'

const URL_A = 'https://acme.com/a'
const text = titled('Acme')
/** A page that can hardly be compressed. */
const NOISE = titled(Array.from({ length: 2000 }, (_, i) => Math.sin(i).toString(36).slice(2)).join(' '))
const chunks = (body: string | Uint8Array, size = 7): Buffer => {
  const bytes = Buffer.from(body as string)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => {
    const part = bytes.subarray(i * size, (i + 1) * size)
    return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
  })
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

describe.each(PACKINGS)('%s', (_, pack) => {
  test('HTML responses are read in order, with everything that was recorded', async () => {
    const date = { 'WARC-Date': '2026-11-20T10:00:00Z' }
    const lines = { ...HTML, Link: '</a>; rel=a,,,b', 'X-Empty': '' }
    const records = [record('warcinfo', {}, 'software: x\r\n'), response(URL_A, lines, text, date), pageRecord('b')]
    const pages = await readPages(pack(records))
    expect(pages.map(({ id }) => id)).toEqual([URL_A, 'https://acme.com/b'])
    expect(pages[0]).toEqual({
      id: URL_A,
      date: '2026-11-20T10:00:00Z',
      recordId: 'urn:uuid:1',
      page: {
        url: URL_A,
        status: 200,
        headers: Object.entries(lines),
        html: Buffer.from(text),
        scripts: [],
        styles: [],
      },
      warnings: [],
    })
  })

  test('a record that spans many reads, and one without a body', async () => {
    const long = titled('x'.repeat(300_000))
    const pages = await readPages(pack([response(URL_A, HTML, long), response(URL_A, HTML, ''), pageRecord('c')]))
    expect(pages.map(formatPage)).toEqual([long, '', titled('c')])
  })
})

describe('records that are skipped', () => {
  const target = { 'WARC-Target-URI': URL_A }
  const http = { 'Content-Type': 'application/http; msgtype=response' }
  test.each<[string, Buffer]>([
    ['a request', record('request', { ...target, ...http }, `GET /a HTTP/1.1\r\n\r\n${text}`)],
    ['a revisit', record('revisit', { ...target, ...http }, 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n')],
    ['metadata', record('metadata', target, text)],
    ['a DNS lookup', record('response', { 'Content-Type': 'text/dns' }, '20261120000000\nacme.com. 1 A')],
    ['an image', response(URL_A, { 'Content-Type': 'image/png' }, text)],
    ['JSON with a word of HTML', response(URL_A, { 'Content-Type': 'application/json; of=text/html' }, text)],
    ['no type and no HTML', response(URL_A, {}, '{"html": "<!doctype html>"}')],
    [
      'an image longer than any page',
      response(URL_A, { 'Content-Type': 'image/png' }, Buffer.alloc(9_000_000, 'WARC/')),
    ],
  ])('%s', async (_, one) => {
    expect((await readPages(plain([one, pageRecord('next')]))).map(formatPage)).toEqual([titled('next')])
  })
})

describe('records that are pages', () => {
  test.each<[string, string, Headers, number]>([
    ['XHTML', 'HTTP/1.0 200', { 'content-type': 'Application/XHTML+XML;charset=utf-8' }, 200],
    ['an error', 'HTTP/1.1 404 Not Found', HTML, 404],
    ['a redirect', 'HTTP/2 301', { ...HTML, Location: '/b' }, 301],
    ['no type, and a body that looks like HTML', 'HTTP/1.1 200 OK', {}, 200],
  ])('%s', async (_, line, http, status) => {
    const head = [line, ...Object.entries(http).map(([name, value]) => `${name}: ${value}`)].join('\r\n')
    const warc = { 'WARC-Target-URI': `<${URL_A}>`, 'Content-Type': 'application/http' }
    const [page] = await readPages(record('response', warc, `${head}\r\n\r\n${text}`))
    expect(page).toMatchObject({ id: URL_A, page: { url: URL_A, status, headers: Object.entries(http) } })
    expect(formatPage(page)).toBe(text)
  })

  test('an address with commas and accents; headers that end with only a line feed, and a folded one', async () => {
    const url = 'https://acme.com/é,,,b'
    const block = `HTTP/1.1 200 OK\nContent-Type: text/html\nX-Long: one\n  two\n\n${text}`
    const [page] = await readPages(record('response', { 'WARC-Target-URI': url }, block))
    expect(page).toMatchObject({
      id: url,
      page: {
        url,
        headers: [
          ['Content-Type', 'text/html'],
          ['X-Long', 'one two'],
        ],
      },
    })
    expect(formatPage(page)).toBe(text)
  })
})

describe('a body', () => {
  const chunked = { 'Transfer-Encoding': 'chunked' }
  const packed = (encoding: string): Headers => ({ 'Content-Encoding': encoding })
  const broken = Buffer.concat([gzipSync(text).subarray(0, 10), Buffer.alloc(8, 255)])
  const unfinished = 'the body could not be decompressed completely'
  const foreign = 'the body has an unsupported content encoding and was not analysed'
  test.each<[string, Headers, string | Uint8Array, string, string[]]>([
    ['in chunks', chunked, chunks(text), text, []],
    ['in chunks, with an extension', chunked, `${text.length.toString(16)};a=b\r\n${text}\r\n0\r\n\r\n`, text, []],
    ['labelled as chunked', chunked, text, text, []],
    ['gzip', packed('gzip'), gzipSync(text), text, []],
    ['gzip in chunks', { ...packed('gzip'), ...chunked }, chunks(gzipSync(text)), text, []],
    ['brotli in chunks', { ...packed('br'), ...chunked }, chunks(brotliCompressSync(text)), text, []],
    ['deflate', packed('deflate'), deflateSync(text), text, []],
    ['deflate without its header', packed('deflate'), deflateRawSync(text), text, []],
    ['gzip within brotli', packed('gzip, br'), brotliCompressSync(gzipSync(text)), text, []],
    ['labelled as gzip', packed('gzip'), text, text, []],
    ['labelled as brotli', packed('br'), `\n ${text}`, `\n ${text}`, []],
    ['broken gzip', packed('gzip'), broken, '', [unfinished]],
    ['in an unknown encoding', packed('snappy'), gzipSync(text), '', [foreign]],
  ])('%s', async (_, http, body, expected, warnings) => {
    const [page, next] = await readPages(plain([response(URL_A, { ...HTML, ...http }, body), pageRecord('next')]))
    expect(page).toMatchObject({ warnings })
    expect(formatPage(page)).toBe(expected)
    expect(formatPage(next)).toBe(titled('next'))
  })

  const cut = 'only the first 4194304 bytes of the decompressed body were analysed'
  const long = Buffer.concat([Buffer.from(text), Buffer.alloc(9 * 1024 * 1024, 'abcd ')])
  test.each<[string, Headers, Uint8Array]>([
    ['plain', {}, long],
    ['in chunks', chunked, chunks(long, 60_000)],
    ['gzip', packed('gzip'), gzipSync(long)],
    ['brotli', packed('br'), brotliCompressSync(long)],
  ])('that is too long is truncated, and the next page is read: %s', async (_, http, body) => {
    const [page, next] = await readPages(packedEach([response(URL_A, { ...HTML, ...http }, body), pageRecord('next')]))
    expect(page).toMatchObject({ warnings: [cut] })
    expect(formatPage(page)).toBe(long.toString('latin1', 0, 4 * 1024 * 1024))
    expect(formatPage(next)).toBe(titled('next'))
  })
})

test('pages reach the engine unchanged: headers count, and bytes are decoded accordingly', async () => {
  const http = { 'Content-Type': 'text/html; charset=windows-1251', Server: 'Vercel', 'Content-Encoding': 'gzip' }
  const html = Buffer.from(
    '<meta name="generator" content="WordPress 6.6"><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>',
    'latin1',
  )
  const [page] = await readPages(packedEach([response(URL_A, http, gzipSync(html))]))
  if (page === undefined || 'error' in page) throw new Error('no page')
  const built = buildPage(page.page)
  expect(built.title).toBe('Привет')
  expect(detect(openOwnRuleset(), built)).toMatchObject({ builder: 'WordPress', hosting: 'Vercel' })
})

// warc-memory.slow.ts reads a thousand pages.
test('pages stream in order, and progress is reported', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `${i}`)
  const file = writeWarc(packedEach(names.map((name) => response(`https://acme.com/${name}`, HTML, NOISE))))
  const totals: number[] = []
  const ids: string[] = []
  for await (const { id } of readWarc(file, { onBytes: (total) => totals.push(total) })) ids.push(id)
  expect(ids).toEqual(names.map((name) => `https://acme.com/${name}`))
  const { size } = statSync(file)
  expect(totals).toEqual([...totals].sort((a, b) => a - b))
  expect(new Set(totals).size).toBeGreaterThan(5)
  expect(totals[0]).toBeLessThan(size / 2)
  expect(totals.at(-1)).toBe(size)
})

describe.each(PACKINGS)('scripts and style sheets, %s', (_, pack) => {
  const JS: Headers = { 'Content-Type': 'text/javascript' }
  const long = 'let abc = 1;'.repeat(20)
  const shell =
    '<!doctype html><title>A</title><script type=module src=/main.js#x></script><script src=/b.js></script><link rel=stylesheet href=/a.css>'
  test('are those of the same archive, recorded before or after the page', async () => {
    const records = [
      response('https://acme.com/main.js', JS, 'let a'),
      response(URL_A, HTML, shell),
      response('https://acme.com/a.css', { 'Content-Type': 'text/css', 'Content-Encoding': 'gzip' }, gzipSync('a{}')),
      response('https://acme.com/main.js', JS, 'let second'),
      response('https://acme.com/b.js', { ...JS, 'Content-Encoding': 'br' }, long),
      response('https://acme.com/chunk.js', JS, 'let chunk'),
      pageRecord('b'),
    ]
    const [first, second] = await readPages(pack(records))
    const read = (bodies: unknown) =>
      (bodies as { url: string; text: Uint8Array }[]).map(({ url, text: bytes }) => [url, `${Buffer.from(bytes)}`])
    expect('page' in first && [read(first.page.scripts), read(first.page.styles)]).toEqual([
      [
        ['https://acme.com/main.js', 'let a'],
        ['https://acme.com/b.js', long],
      ],
      [['https://acme.com/a.css', 'a{}']],
    ])
    expect(second).toMatchObject({ page: { scripts: [], styles: [] } })
  })

  test('are not those that failed, have another type or are not recorded', async () => {
    const image = response('https://acme.com/main.js', { 'Content-Type': 'image/png' }, 'x')
    const [first] = await readPages(pack([response(URL_A, HTML, shell), image]))
    expect(first).toMatchObject({ page: { scripts: [], styles: [] } })
    expect('page' in first && buildPage(first.page).bundles?.isComplete).toBe(false)
  })
})
