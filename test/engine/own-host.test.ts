import { describe, expect, test } from 'vitest'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import type { Level } from '../../src/engine/verdict/verdict-types.ts'
import { buildPage, detect } from '../../src/index.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { builder, getVerdict, technology } from './support/tiny-rules.ts'

const URL = 'https://www.example.com/'
const strong: ClauseSource = { asset: '/theme/', from: 'own' }
const medium: ClauseSource = { asset: '/theme/', from: 'own', weight: 'medium' }
const weak: ClauseSource = { asset: '/theme/', from: 'own', weight: 'weak' }
const group: ClauseSource = { atLeast: 2, of: [strong, { asset: '/core/', from: 'own' }] }
const image = (src: string): string => `<img src="${src}">`
const style = (href: string): string => `<link rel="stylesheet" href="${href}">`

describe('files of a sibling host prove less than files of the page’s own host', () => {
  test.each<[string, ClauseSource[], html: string, points: number]>([
    ['a relative image', [strong], image('/theme/a.png'), 6],
    ['an image of the same host', [strong], image('https://www.example.com/theme/a.png'), 6],
    ['an image of the host without www.', [strong], image('https://example.com/theme/a.png'), 6],
    ['an image relative to <base>', [strong], `<base href="//cdn.example.com/">${image('theme/a.png')}`, 6],
    ['a style sheet of a sibling', [strong], style('//cdn.example.com/theme/a.css?v=1'), 3],
    ['a script of a sibling', [strong], '<script src="//cdn.example.com/theme/a.JS"></script>', 3],
    ['an image of a sibling', [strong], image('//shop.example.com/theme/a.png'), 1],
    ['a style sheet of another site', [strong], style('//example.net/theme/a.css'), 0],
    ['medium: an own image', [medium], image('/theme/a.png'), 3],
    ['medium: a style sheet of a sibling', [medium], style('//cdn.example.com/theme/a.css'), 1],
    ['medium: an image of a sibling', [medium], image('//shop.example.com/theme/a.png'), 1],
    ['weak: an image of a sibling', [weak], image('//shop.example.com/theme/a.png'), 1],
    [
      'images of a sibling give one point for any number of clauses',
      [strong, medium, weak],
      image('//shop.example.com/theme/a.png') + image('//shop.example.com/theme/b.png'),
      1,
    ],
    [
      'an own image in addition to an image of a sibling',
      [strong],
      image('//cdn.example.com/theme/a.png') + image('/theme/b.png'),
      6,
    ],
    [
      'atLeast that needs a style sheet of a sibling',
      [{ ...strong, atLeast: 2 }],
      style('//cdn.example.com/theme/a.css') + image('/theme/b.png'),
      3,
    ],
    ['a group that holds without files of a sibling', [group], image('/theme/a.png') + image('/core/b.png'), 6],
    [
      'a group that needs a style sheet of a sibling',
      [group],
      image('/theme/a.png') + style('//cdn.example.com/core/b.css'),
      3,
    ],
    [
      'a group that needs an image of a sibling',
      [group],
      image('/theme/a.png') + image('//shop.example.com/core/b.png'),
      1,
    ],
    [
      'under a not, any file of the site counts',
      [{ all: [{ meta: 'x' }, { not: strong }] }],
      `<meta name=x content=1>${image('//shop.example.com/theme/a.png')}`,
      0,
    ],
    ['links are not files', [{ anchor: '/login', from: 'own' }], '<a href="//app.example.com/login">Log in</a>', 6],
    [
      'attributes of elements are not files',
      [{ element: 'form', attr: 'action', from: 'own' }],
      '<form action="//app.example.com/login"></form>',
      6,
    ],
  ])('%s', (_, detect, html, points) => {
    const [evidence] = getVerdict([technology('x', { detect })], { url: URL, html }).evidence
    expect(evidence?.points ?? 0).toBe(points)
  })

  test('evidence shows the weight of a clause on the page', () => {
    const html = `${style('//cdn.example.com/theme/a.css')}<meta name=x content=1>`
    const [evidence] = getVerdict([technology('x', { detect: [strong, { meta: 'x', weight: 'medium' }] })], {
      url: URL,
      html,
    }).evidence
    expect(evidence?.clauses.map(({ weight }) => weight)).toEqual(['medium', 'medium'])
  })
})

test.each<[string, html: string, string, Level]>([
  ['more values of strong clauses', image('/a/1.png') + image('/b/1.png') + image('/b/2.png'), 'bbb', 'medium'],
  ['a URL counts once', image('/a/1.png') + image('/b/1.png') + image('/b/1.png'), 'aaa', 'medium'],
  [
    'own files before more files of a sibling',
    style('//cdn.example.com/a/1.css') + style('//cdn.example.com/a/2.css') + image('/b/1.png'),
    'bbb',
    'high',
  ],
])('a tie of two builders is decided by %s', (_, html, slug, confidence) => {
  const rules = [
    builder('aaa', { detect: [{ asset: '/a/', from: 'own' }] }),
    builder('bbb', { detect: [{ asset: '/b/', from: 'own' }] }),
  ]
  expect(getVerdict(rules, { url: URL, html })).toMatchObject({ builderSlug: slug, confidence })
})

describe('built-in rules', () => {
  const ruleset = openOwnRuleset()
  const wordpress = ['themes/quay/style.css', 'themes/quay/nav.js', 'plugins/tides/tides.js', 'plugins/map/map.css']
    .map((path) =>
      path.endsWith('.css') ? style(`/wp-content/${path}`) : `<script src="/wp-content/${path}"></script>`,
    )
    .join('')
  const drupal = (host: string): string =>
    image(`${host}/sites/all/themes/portal/logo.png`) + image(`${host}/sites/all/themes/portal/back.gif`)

  test.each<[string, html: string, builderSlug: string | null, confidence: Level | null]>([
    ['WordPress with two Drupal images from the same host', wordpress + drupal(''), 'wordpress', 'medium'],
    [
      'WordPress with two Drupal images from a sibling',
      wordpress + drupal('//portal.example.com'),
      'wordpress',
      'high',
    ],
    ['only Drupal images from a sibling', drupal('//portal.example.com'), null, null],
    [
      'images of a Shopify shop on a sibling',
      image('//shop.example.com/cdn/shop/files/a.jpg') + image('//shop.example.com/cdn/shop/t/1/assets/b.jpg'),
      null,
      null,
    ],
    [
      'a theme of WordPress VIP',
      style('//s2.wp.com/wp-content/themes/vip/x/style.css') +
        style('//s0.wp.com/_static/??abc') +
        '<link rel="EditURI" href="https://x.wordpress.com/xmlrpc.php?rsd">',
      'wordpress',
      'medium',
    ],
    ['a theme of WordPress.com', style('//s2.wp.com/wp-content/themes/pub/x/style.css'), 'wordpress-com', 'high'],
  ])('%s', (_, html, builderSlug, confidence) => {
    const verdict = detect(ruleset, buildPage({ url: URL, html: `<!doctype html><body>${html}` }))
    expect(verdict).toMatchObject({ builderSlug, confidence })
  })
})
