import { describe, expect, test } from 'vitest'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { type BodySelection, selectBodies, selectBodiesOfTape } from '../../src/engine/page/select-bodies.ts'
import { buildTape } from '../../src/engine/page/tape.ts'

const ADDRESS = 'https://www.harbourline.example/shop/'
const scripts = (...urls: string[]): string => urls.map((url) => `<script src="${url}"></script>`).join('')
const ours = (text: string): string => text.replaceAll('https://www.harbourline.example', '')

/** Selects in both ways: from the text as the fetch thread does, and from the tape as workers do. */
function selectBoth(html: string, address: string | null): BodySelection {
  const selection = selectBodies(html, address)
  expect(selectBodiesOfTape(buildTape(html), html, address)).toEqual(selection)
  return selection
}

function select(html: string, address: string | null = ADDRESS): string {
  const { selected } = selectBoth(html, address)
  return [selected.script, selected.style].map((links) => links.map(({ url }) => ours(url.href)).join(' ')).join(' | ')
}

describe('the scripts and style sheets that are selected', () => {
  test.each<[name: string, html: string, expected: string]>([
    ['none', '<p>src=/a.js', ' | '],
    ['in document order', scripts('/b.js', '/a.js'), '/b.js /a.js | '],
    ['at most four', scripts('/a.js', '/b.js', '/c.js', '/d.js', '/e.js'), '/a.js /b.js /c.js /d.js | '],
    [
      'entry points first',
      scripts('/a.js', '/index-Db9WxpQ5.js', '/indexed.js', '/main.56ed.js', '/_app-1.js'),
      '/index-Db9WxpQ5.js /main.56ed.js /_app-1.js /a.js | ',
    ],
    ['a module is an entry point', `${scripts('/a.js')}<script type=module src=/b.js></script>`, '/b.js /a.js | '],
    ['loaders last', scripts('/webpack-1.js', '/polyfills.js', '/a.js'), '/a.js /webpack-1.js /polyfills.js | '],
    [
      'preloaded modules after the scripts of the site',
      `<link rel=modulepreload href=/p.js><link rel="modulepreload" href=/b.js>${scripts('/a.js', '/b.js')}`,
      '/a.js /b.js /p.js | ',
    ],
    [
      'other hosts only if they serve builds',
      scripts(
        'https://shop.pages.dev/a.js',
        'https://files.example.org/lib/a.js',
        '//cdn.example.org/_next/static/b.js',
        'https://img.harbourline.example/c.js',
      ),
      'https://img.harbourline.example/c.js https://shop.pages.dev/a.js https://cdn.example.org/_next/static/b.js | ',
    ],
    [
      'never known hosts',
      scripts(
        'https://cdn.jsdelivr.net/assets/a.js',
        'https://js.stripe.com/assets/a.js',
        'https://unpkg.com/build/a.js',
        'https://www.googletagmanager.com/static/js/a.js',
      ),
      ' | ',
    ],
    [
      'only what browsers of today run',
      '<script nomodule src=/a.js></script><script type=text/template src=/b.js></script>',
      ' | ',
    ],
    [
      'types of scripts',
      '<script type="text/javascript; charset=utf-8" src=/a.js></script><SCRIPT TYPE="" SRC=/b.js></SCRIPT>',
      '/a.js /b.js | ',
    ],
    [
      'not what is inert',
      `<template>${scripts('/a.js')}</template><noscript>${scripts('/b.js')}</noscript><!-- ${scripts('/c.js')} --><script>"${'<'}script src=/d.js>"</script>`,
      ' | ',
    ],
    ['entities and relative URLs', '<script src="a.js?b&amp;c#d"></script>', '/shop/a.js?b&c | '],
    [
      'resolved against the base',
      `<base target=_top><base href="/x/"><base href="/y/">${scripts('a.js')}`,
      '/x/a.js | ',
    ],
    ['no other schemes', scripts('data:text/javascript,a', 'blob:x', 'javascript:a', ''), ' | '],
    ['each URL once', scripts('/a.js', '/a.js#x', '/b.js'), '/a.js /b.js | '],
    [
      'two style sheets, entry points first',
      '<link rel=stylesheet href=/a.css><link rel="preload" href=/p.css><link rel="alternate stylesheet" href=/d.css><link rel=stylesheet disabled href=/e.css><link rel="StyleSheet" href=/b.css><link rel=stylesheet href=/app.1.css>',
      ' | /app.1.css /a.css',
    ],
    ['no fonts', '<link rel=stylesheet href="https://fonts.googleapis.com/css2?family=A">', ' | '],
  ])('%s', (_, html, expected) => {
    expect(select(html)).toBe(expected)
  })

  test.each<[name: string, html: string, expected: string]>([
    ['that is not closed', `<div><noscript>${scripts('/a.js')}</div>${scripts('/b.js')}`, ' | '],
    ['that is closed late', `<div><noscript></div>${scripts('/a.js')}</noscript>${scripts('/b.js')}`, '/b.js | '],
    ['in itself', `<noscript><noscript></noscript>${scripts('/a.js')}</noscript>`, '/a.js | '],
    ['around a template', `<noscript><template></noscript>${scripts('/a.js')}`, '/a.js | '],
    ['in a template', `<template><noscript></template>${scripts('/a.js')}`, '/a.js | '],
  ])('scripts in a noscript %s', (_, html, expected) => {
    expect(select(html)).toBe(expected)
  })

  test.each<[name: string, html: string, expected: string]>([
    ['with a closed title', `<svg><title/><path/></svg>${scripts('/a.js')}`, '/a.js | '],
    ['that is closed itself', `<svg/><title>${scripts('/a.js')}</title>${scripts('/b.js')}`, '/b.js | '],
    [
      'that is not closed',
      `<div><svg><path></div><p><style>${scripts('/a.js')}</style>${scripts('/b.js')}`,
      '/b.js | ',
    ],
    ['in another one', `<svg><svg><title/></svg><style/></svg>${scripts('/a.js')}`, '/a.js | '],
  ])('scripts behind an SVG %s', (_, html, expected) => {
    expect(select(html)).toBe(expected)
  })

  test('without the address of the page, relative URLs are its own', () => {
    expect(select(scripts('a.js', 'https://x.example/b.js', 'https://x.vercel.app/c.js'), null)).toBe(
      '/a.js https://x.vercel.app/c.js | ',
    )
  })

  test('10,000 scripts are counted up to a bound', () => {
    const { selected, skipped } = selectBoth(scripts(...Array.from({ length: 10_000 }, (_, i) => `/${i}.js`)), ADDRESS)
    expect(selected.script).toHaveLength(4)
    expect(skipped).toEqual({ script: 996, style: 0 })
  })
})

describe('the bodies of a page', () => {
  const MIB = 1024 * 1024
  const html = scripts('/a.js', '/b.js')
  const read = (input: PageInput): object => {
    const { bundles, warnings } = buildPage({ url: ADDRESS, html, ...input })
    const bodies = bundles?.bodies.map(({ url, text }) => `${ours(url.href)} ${text.length}`)
    return { bodies, isComplete: bundles?.isComplete, warnings }
  }
  const complete = { isComplete: true, warnings: [] }
  const missing = (n: number, all: number, why = ''): object => ({
    isComplete: false,
    warnings: [`${n} of ${all} scripts of the site ${n === 1 ? 'was' : 'were'} not read${why}`],
  })
  const part = { isComplete: false, warnings: ['1 of 2 scripts of the site was read only in part'] }
  const both = (b: string | Uint8Array, more: object = {}): PageInput => ({
    scripts: [
      { url: '/b.js', text: b, ...more },
      { url: '/a.js', text: 'a' },
    ],
  })

  test.each<[name: string, input: PageInput, expected: object]>([
    ['in the order of the selection', both('bb'), { bodies: ['/a.js 1', '/b.js 2'], ...complete }],
    ['as bytes', both(Buffer.from('é')), { bodies: ['/a.js 1', '/b.js 1'], ...complete }],
    ['cut by the caller', both('bb', { isCut: true }), { bodies: ['/a.js 1', '/b.js 2'], ...part }],
    ['longer than 1 MiB', both('b'.repeat(MIB + 1)), { bodies: ['/a.js 1', `/b.js ${MIB}`], ...part }],
    [
      'missing',
      { scripts: [{ url: 'https://www.harbourline.example/b.js', text: 'b' }] },
      { bodies: ['/b.js 1'], ...missing(1, 2) },
    ],
    [
      'an HTML page',
      both(' <!doctype html>'),
      { bodies: ['/a.js 1'], ...missing(1, 2, ': an HTML page instead of the file') },
    ],
    [
      'missing for several reasons',
      {
        html: scripts('/1.js', '/2.js', '/3.js', '/4.js', '/5.js', '/6.js', '/7.js', '/8.js'),
        scripts: ['status 404', 'status 404', 'not received in time', 'the request failed'].map((why, at) => ({
          url: `/${at + 1}.js`,
          text: 'ignored',
          missing: why,
        })),
      },
      {
        bodies: [],
        ...missing(
          8,
          8,
          ': status 404 (2), not received in time (1), the request failed (1), beyond the limit of 4 files (4)',
        ),
      },
    ],
    ['with an old comment', both('<!-- var a'), { bodies: ['/a.js 1', '/b.js 10'], ...complete }],
    ['with an invalid URL', { html: '', scripts: [{ url: 'http://', text: 'b' }] }, { bodies: [], ...complete }],
    [
      'not linked, in addition',
      {
        html: scripts('/a.js'),
        scripts: [
          { url: '/x.js', text: 'x' },
          { url: '/a.js', text: 'a' },
          { url: 'https://unpkg.com/a.js', text: 'u' },
        ],
      },
      { bodies: ['/a.js 1', '/x.js 1'], ...complete },
    ],
    [
      'too many',
      { html: '', scripts: ['1', '2', '3', '4', '5'].map((n) => ({ url: `/${n}.js`, text: n })) },
      { bodies: ['/1.js 1', '/2.js 1', '/3.js 1', '/4.js 1'], ...missing(1, 5, ': beyond the limit of 4 files') },
    ],
    [
      'too large together',
      { html: '', scripts: ['1', '2', '3', '4'].map((n) => ({ url: `/${n}.js`, text: n.repeat(0.9 * MIB) })) },
      {
        bodies: [
          ...[1, 2, 3].map((n) => `/${n}.js ${Math.floor(0.9 * MIB)}`),
          `/4.js ${3 * MIB - 3 * Math.floor(0.9 * MIB)}`,
        ],
        isComplete: false,
        warnings: ['1 of 4 scripts of the site was read only in part'],
      },
    ],
  ])('%s', (_, input, expected) => {
    expect(read(input)).toEqual(expected)
  })
})
