import { describe, expect, test } from 'vitest'
import { buildPage } from '../../src/engine/page/page.ts'
import { selectPages } from '../../src/engine/page/select-pages.ts'

const FRONT = 'https://www.harbourline.example/'
const select = (html: string, url = FRONT, headers: Record<string, string> = {}): string[] =>
  selectPages(buildPage({ url, headers, html }))
const link = (href: string, more = ''): string => `<a href="${href}" ${more}>x</a>`
const links = (...hrefs: readonly string[]): string => hrefs.map((href) => link(href)).join('')
const at = (path: string): string => `https://www.harbourline.example${path}`

describe('the order of the pages', () => {
  test.each<[string, string[], string[]]>([
    [
      'subdomains with a purpose, other subdomains, folders with a purpose, other folders, minor subdomains',
      [
        '/team',
        'https://de.harbourline.example/',
        '/careers',
        '//labs.harbourline.example',
        '//shop.harbourline.example/x',
      ],
      [
        'https://shop.harbourline.example/x',
        'https://labs.harbourline.example/',
        at('/careers'),
        at('/team'),
        'https://de.harbourline.example/',
      ],
    ],
    [
      'one page of each purpose before a second one',
      ['/cart', '/shop', '//help.harbourline.example/', '/support', '/blog', '/about'],
      ['https://help.harbourline.example/', at('/cart'), at('/blog'), at('/about'), at('/shop'), at('/support')],
    ],
    ['the shallowest page of a folder', ['/blog/2025/tides', '/blog/', '/blog/x'], [at('/blog/')]],
    ['a folder below a language', ['/en/shop', '/de-de/shop'], [at('/en/shop')]],
    ['a purpose as a word of a name', ['/our-story', '/knowledge-base'], [at('/knowledge-base'), at('/our-story')]],
    ['a fragment is dropped', ['/docs#top'], [at('/docs')]],
    ['pages with an ending', ['/jobs.php', '/price-list.pdf', '/main.js'], [at('/jobs.php')]],
  ])('%s', (_, hrefs, expected) => {
    expect(select(links(...hrefs))).toEqual(expected)
  })

  test('other ports of an address are the same site', () => {
    expect(select(links('http://127.0.0.1:81/', 'http://127.0.0.2/'), 'http://127.0.0.1:80/')).toEqual([
      'http://127.0.0.1:81/',
    ])
  })
})

describe('what is not selected', () => {
  test.each<[string, string]>([
    [
      'actions',
      links('/logout', '/user/sign-out.php', '/cart/add', '/add-to-cart/7', '/wp-admin/', '/feed/', '/checkout'),
    ],
    ['a query', links('/shop?sort=price', '/?p=3', '/?add-to-cart=7', '/blog;jsessionid=1')],
    [
      'other sites',
      links('https://harbourline.test/shop', 'https://harbourline.example.org/blog', 'mailto:a@b.example'),
    ],
    ['the page itself', links('', '#x', '/', '/index.html', 'https://harbourline.example/', '/en/')],
    ['links that are not to be followed', link('/shop', 'rel="noopener NoFollow"') + link('/blog', 'rel=ugc')],
    ['downloads', link('/docs', 'download')],
    ['links of a page that asks not to follow them', `<meta name=Robots content="noindex, nofollow">${links('/shop')}`],
    ['links below a foreign base', `<base href="https://other.test/">${links('shop', '/blog')}`],
    ['long addresses', links(`/${'a'.repeat(600)}`)],
  ])('%s', (_, html) => {
    expect(select(html)).toEqual([])
  })

  test('customers of one host are different sites', () => {
    expect(select(links('https://b.github.io/blog'), 'https://a.github.io/')).toEqual([])
  })

  test('links of a response that asks not to follow them', () => {
    expect(select(links('/shop'), FRONT, { 'x-robots-tag': 'none' })).toEqual([])
  })
})

test.each<[string, (i: number) => string, number]>([
  ['a calendar', (i) => `/events/${2000 + i}/${i % 12}`, 1],
  ['folders without end', (i) => `/f${i}/`, 12],
  ['subdomains without end', (i) => `https://shop.s${i}.harbourline.example/`, 12],
])('10,000 links are bounded: %s', (_, build, expected) => {
  expect(select(links(...Array.from({ length: 10_000 }, (_, i) => build(i))))).toHaveLength(expected)
})
