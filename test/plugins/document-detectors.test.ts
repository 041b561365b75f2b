import { expect, test } from 'vitest'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { buildPlaceIndex, html, readFinds } from '../engine/support/finds.ts'

test.each<[place: string, what: string, words: string[], PageInput, [string, string][]]>([
  [
    'meta',
    'name, property, itemprop',
    ['one', 'og:*'],
    html('<meta name=" One " content=" a "><META property="og:b" content=c><meta itemprop=one content=d>'),
    [
      ['One', 'a'],
      ['og:b', 'c'],
      ['one', 'd'],
    ],
  ],
  [
    'meta',
    'no tag without content',
    ['one'],
    html('<meta name=one><meta http-equiv=one content=a><meta name=two content=b><b name=one content=c>'),
    [],
  ],
  ['meta', 'an empty content', ['one'], html('<meta name=one content="">'), [['one', '']]],
  ['title', 'the title', ['abc'], html('<title> A b </title>'), [['', 'A b']]],
  ['title', 'no title', ['abc'], html('<p>'), []],
  [
    'comment',
    'each comment',
    ['abc'],
    html('<!-- a --><!--b-->'),
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'inline',
    'scripts without src, except data',
    ['abc'],
    html(
      '<script>a</script><script type=x>b</script><script src=c>d</script><script type="application/json">1</script>',
    ),
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'style',
    'each style sheet',
    ['abc'],
    html('<style>a</style><p style="b"><style>c</style>'),
    [
      ['', 'a'],
      ['', 'c'],
    ],
  ],
  ['text', 'the visible text', ['abc'], html('<title>a</title><p>b</p>c'), [['', 'b c']]],
  ['html', 'the source', ['abc'], html('<p CLASS=a>b'), [['', '<p CLASS=a>b']]],
  [
    'label',
    'the whole text of a link or button, in lower case',
    ['zum warenkorb', 'kasse'],
    html(
      `<a href=x> Zum <b>Warenkorb</b>\n</a><button>KASSE</button><p>kasse</p><a>kasse 2</a><a>${'kasse '.repeat(9)}</a><a></a>`,
    ),
    [
      ['zum warenkorb', 'zum warenkorb'],
      ['kasse', 'kasse'],
    ],
  ],
  [
    'size',
    'links, and paragraphs of 120 characters',
    ['links', 'paragraphs'],
    html(`<a></a><a href=x></a><p>${'x'.repeat(119)}</p><p>${'x'.repeat(60)}<b>${'y'.repeat(60)}</b></p>`),
    [
      ['words', '2'],
      ['characters', '240'],
      ['links', '2'],
      ['paragraphs', '1'],
    ],
  ],
  [
    'size',
    'links to other sites, words of the last segment of the path, digits of the path',
    ['outlinks', 'slug', 'digits'],
    {
      url: 'https://a.example.com/2024/05/one-two_three/?four-five=6',
      html: '<a href=/x>x</a><a href=https://b.example.com>x</a><a href=https://example.org/1>x</a><a href=//example.net>x</a>',
    },
    [
      ['words', '1'],
      ['characters', '4'],
      ['outlinks', '2'],
      ['slug', '3'],
      ['digits', '6'],
    ],
  ],
  [
    'size',
    'both amounts',
    ['words', 'characters'],
    html('<p>one two</p>'),
    [
      ['words', '2'],
      ['characters', '7'],
    ],
  ],
  [
    'script',
    'only src of scripts',
    ['/a'],
    html('<script src="//a.com/b"></script><img src=/c><link rel=modulepreload href=/d>'),
    [['', 'http://a.com/b']],
  ],
  [
    'asset',
    'including scripts, without frames and links',
    ['/a'],
    html('<script src=/b></script><img src=/c><iframe src=/d></iframe><a href=/e></a>'),
    [
      ['', '/b'],
      ['', '/c'],
    ],
  ],
  [
    'frame',
    'iframe, embed, object',
    ['/a'],
    html('<iframe src=/b></iframe><embed src=/c><object data=/d></object>'),
    [
      ['', '/b'],
      ['', '/c'],
      ['', '/d'],
    ],
  ],
  ['anchor', 'a[href]', ['/a'], html('<a href=/b></a><a name=c></a><link href=/d>'), [['', '/b']]],
  [
    'link',
    'by each token of rel',
    ['icon', 'alternate'],
    html(
      '<link rel="Shortcut ICON" href=/a><link rel="alternate icon" href=/b><link rel=next href=/c><a rel=icon href=/d></a>',
    ),
    [
      ['icon', '/a'],
      ['alternate', '/b'],
      ['icon', '/b'],
    ],
  ],
  [
    'element',
    'elements that match a selector',
    ['p.x', '[data-a]'],
    html('<p class="y x" data-a><p class=xx><i data-a=1>'),
    [
      ['p.x', 'p'],
      ['[data-a]', 'p'],
      ['[data-a]', 'i'],
    ],
  ],
])('%s: %s', (place, _, words, input, expected) => {
  expect(readFinds(place, words, input)).toEqual(expected)
})

test('the amount of size is the hit', () => {
  const index = buildPlaceIndex('size', ['words'])
  expect([...index.detector.read(buildPage(html('one two')), index)].map(({ amount }) => amount)).toEqual([2, 7])
})
