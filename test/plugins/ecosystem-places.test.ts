import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../src/engine/page/page.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'

const places = indexPlaces(detectors)

/** The level of a rule with one clause on a page, and its version. */
function find(clause: ClauseSource, input: PageInput): string {
  const source = { name: 'Acme', slug: 'acme', website: 'https://acme.com', source: [], verified: '2026-11-20' }
  const rule = compileRule({ ...source, kind: 'technology', category: 'slider', detect: [clause] }, places)
  const categories = { builders: {}, technologies: { slider: 'Sliders' } }
  const { technologies, versions } = detect(
    Ruleset.of({ rules: [rule], categories, version: '' }, detectors),
    buildPage(input),
  )
  return technologies.includes('Acme') ? (versions.Acme ?? 'found') : 'not found'
}

const URL_OF_PAGE = 'https://shop.example/'
const findScript = (clause: ClauseSource, src: string): string =>
  find(clause, { url: URL_OF_PAGE, html: `<body><script src="${src}"></script>` })

describe('npm: swiper', () => {
  test.each([
    ['https://cdn.jsdelivr.net/npm/swiper@11.0.5/swiper-bundle.min.js', '11.0.5'],
    ['https://cdn.jsdelivr.net/npm/swiper', 'found'],
    ['https://cdn.jsdelivr.net/npm/swiper@latest/swiper.js', 'found'],
    ['https://cdn.jsdelivr.net/npm/swiper@^11/swiper.js', 'found'],
    ['https://cdn.jsdelivr.net/combine/npm/jquery@3.7.1,npm/swiper@11.0.5/swiper.min.js', '11.0.5'],
    ['https://unpkg.com/swiper@8/swiper-bundle.js', '8'],
    ['https://unpkg.com/Swiper', 'found'],
    ['https://esm.sh/swiper@11.1.0', '11.1.0'],
    ['https://esm.sh/v135/swiper@11.1.0/es2022/swiper.mjs', '11.1.0'],
    ['https://esm.sh/*swiper@11.1.0', '11.1.0'],
    ['https://cdn.skypack.dev/-/swiper@v8.4.7-abc/dist=es2019/swiper.js', '8.4.7'],
    ['https://ga.jspm.io/npm:swiper@11.0.5/swiper.mjs', '11.0.5'],
    ['https://cdnjs.cloudflare.com/ajax/libs/Swiper/4.5.1/js/swiper.min.js', '4.5.1'],
    ['/node_modules/swiper/swiper-bundle.min.js', 'found'],
    ['/node_modules/.pnpm/swiper@11.0.5/node_modules/swiper/swiper.js', 'found'],
    ['https://cdn.jsdelivr.net/npm/swiper-element@11.0.5/x.js', 'not found'],
    ['https://cdn.jsdelivr.net/npm/my-swiper@11.0.5/x.js', 'not found'],
    ['https://cdn.jsdelivr.net/npm/@acme/swiper@11.0.5/x.js', 'not found'],
    ['https://cdn.jsdelivr.net/gh/nolimits4web/swiper@11.0.5/x.js', 'not found'],
    ['https://unpkg.com.evil.example/swiper@8', 'not found'],
    ['https://evil.example/unpkg.com/swiper@8', 'not found'],
    ['https://shop.example/swiper@8/swiper.js', 'not found'],
    ['/node_modules/swiper/node_modules/dom7/dom7.js', 'not found'],
    ['/ajax/libs/swiperx/1.0.0/swiper.js', 'not found'],
    ['/files/swiper/11.0.5/swiper.js', 'not found'],
  ])('%s: %s', (src, expected) => {
    expect(findScript({ npm: 'swiper' }, src)).toBe(expected)
  })

  test.each([
    ['@fancyapps/ui', 'https://cdn.jsdelivr.net/npm/@fancyapps/ui@5.0.36/dist/fancybox.umd.js', '5.0.36'],
    ['@fancyapps/ui', 'https://cdn.jsdelivr.net/npm/%40fancyapps/ui@5.0.36/dist/fancybox.umd.js', '5.0.36'],
    ['@fancyapps/ui', 'https://unpkg.com/@fancyapps/ui', 'found'],
    ['@fancyapps/ui', 'https://unpkg.com/@fancyapps/uikit@1.0.0', 'not found'],
    ['@fancyapps/fancybox', 'https://cdn.jsdelivr.net/gh/fancyapps/fancybox@3.5.7/dist/x.js', '3.5.7'],
    ['bootstrap', 'https://cdnjs.cloudflare.com/ajax/libs/twitter-bootstrap/4.6.2/js/bootstrap.min.js', '4.6.2'],
  ])('%s in %s: %s', (name, src, expected) => {
    expect(findScript({ npm: name }, src)).toBe(expected)
  })

  test.each([
    ['a link', { html: '<a href="https://unpkg.com/swiper@8">Swiper</a>' }, 'not found'],
    ['a mention', { html: '<pre>&lt;script src="https://unpkg.com/swiper@8"&gt;</pre>' }, 'not found'],
    ['a style sheet', { html: '<link rel="stylesheet" href="https://unpkg.com/swiper@8/swiper.css">' }, '8'],
    [
      'an import map',
      { html: '<script type="importmap">{"imports":{"swiper":"/assets/s-1a2b.js"}}</script>' },
      'found',
    ],
    [
      'an address in an import map',
      { html: '<script type="importmap">{"imports":{"s/":"https://esm.sh/swiper@11.1.0/"}}</script>' },
      '11.1.0',
    ],
    ['a broken import map', { html: '<script type="importmap">{"imports":{"swiper":</script>' }, 'not found'],
    ['an import map without a list', { html: '<script type="importmap">{"imports":["swiper"]}</script>' }, 'not found'],
    [
      'another block of JSON',
      { html: '<script type="application/json">{"imports":{"swiper":"/s.js"}}</script>' },
      'not found',
    ],
  ] as const)('in %s', (_, input, expected) => {
    expect(find({ npm: 'swiper' }, { url: URL_OF_PAGE, ...input })).toBe(expected)
  })

  test.each([
    ['/*! swiper 11.0.5 | MIT */', '11.0.5'],
    ['/**\n * Swiper 11.0.5\n * Most modern mobile touch slider', '11.0.5'],
    ['/** @license Swiper v11.0.5 */', '11.0.5'],
    ['/*! Swiper.js v11.0.5-beta.1 */', '11.0.5'],
    ['/*! swiper-element 11.0.5 */', 'not found'],
    ['/*! works with swiper 11.0.5 */', 'not found'],
    ['"/ *! swiper 11.0.5"', 'not found'],
    ['/*! swiper */', 'not found'],
  ])('the comment %s of a bundle', (text, expected) => {
    const scripts = [{ url: 'https://shop.example/assets/index-1a2b3c4d.js', text: `${text}\nlet a=1` }]
    const html = '<body><script type="module" src="/assets/index-1a2b3c4d.js"></script>'
    expect(find({ npm: 'swiper' }, { url: URL_OF_PAGE, html, scripts })).toBe(expected)
  })

  test('version: false leaves the version', () => {
    expect(findScript({ npm: 'swiper', version: false }, 'https://unpkg.com/swiper@8')).toBe('found')
  })
})

describe('file: swiper.js', () => {
  test.each([
    ['/js/swiper.js', 'found'],
    ['/js/swiper.min.js', 'found'],
    ['https://cdn.other.example/Swiper.min.js?ver=6', 'found'],
    ['/js/swiper-11.0.5.js', '11.0.5'],
    ['/js/swiper-11.0.5.min.js', '11.0.5'],
    ['/js/swiper.min-11.0.5.js', '11.0.5'],
    ['/js/swiper.v11.0.slim.min.js', '11.0'],
    ['/js/swiper-0123456789abcdef.js', 'found'],
    ['/js/swiper.mind205.js', 'found'],
    ['/swiper-11.0.5/js/swiper.min.js', '11.0.5'],
    ['/swiper/11.0.5/swiper.js', '11.0.5'],
    ['/theme/2.1.0/swiper.js', 'found'],
    ['/js/my-swiper.js', 'not found'],
    ['/js/swiper-bundle.js', 'not found'],
    ['/js/swipers.js', 'not found'],
    ['/js/swiper.css', 'not found'],
    ['/js/swiper.js.map', 'not found'],
    ['/swiper.js/logo.svg', 'not found'],
    ['/js/swiper-facade.js', 'not found'],
    ['/js/swiper', 'not found'],
    ['/js/main.js?swiper.js', 'not found'],
  ])('%s: %s', (src, expected) => {
    expect(findScript({ file: 'swiper.js' }, src)).toBe(expected)
  })
})

describe('extension', () => {
  test.each([
    ['wordpress/plugins/akismet', '/wp-content/plugins/akismet/_inc/akismet.js?ver=5.3.1', '5.3.1'],
    ['wordpress/plugins/akismet', '/blog/wp-content/plugins/akismet/_inc/akismet.js', 'found'],
    ['wordpress/plugins/akismet', 'https://cdn.shop.example/wp-content/plugins/akismet/a.js', 'found'],
    ['wordpress/plugins/akismet', '/wp-content/plugins/akismet-pro/a.js', 'not found'],
    ['wordpress/plugins/akismet', '/wp-content/plugins/my-akismet/a.js', 'not found'],
    ['wordpress/plugins/akismet', '/wp-content/themes/akismet/a.js', 'not found'],
    ['wordpress/plugins/akismet', '/wp-content/plugins/akismet', 'not found'],
    ['wordpress/plugins/akismet', 'https://neighbour.example/wp-content/plugins/akismet/a.js', 'not found'],
    ['wordpress/themes/astra', '/wp-content/themes/astra/style.css?ver=4', 'found'],
    ['drupal/modules/webform', '/modules/contrib/webform/css/webform.css', 'found'],
    ['drupal/modules/webform', '/sites/all/modules/webform/css/webform.css', 'found'],
    ['drupal/themes/bootstrap', '/sites/all/themes/contrib/bootstrap/a.css', 'found'],
    ['joomla/components/virtuemart', '/components/com_virtuemart/assets/a.js', 'found'],
    ['joomla/components/virtuemart', '/components/virtuemart/assets/a.js', 'not found'],
    ['joomla/modules/menu', '/media/mod_menu/js/menu.min.js', 'found'],
    ['joomla/templates/cassiopeia', '/media/templates/site/cassiopeia/css/template.css', 'found'],
    ['typo3/extensions/news', '/typo3conf/ext/news/Resources/Public/Css/news.css', 'found'],
    ['prestashop/modules/ps_imageslider', '/modules/ps_imageslider/js/a.js', 'found'],
    ['opencart/themes/journal3', '/catalog/view/theme/journal3/a.css', 'found'],
    ['magento/themes/Smartwave/porto', '/static/version1616161616/frontend/Smartwave/porto/en_US/css/a.css', 'found'],
    ['magento/modules/Amasty_Base', '/static/frontend/Smartwave/porto/en_US/Amasty_Base/js/a.js', 'found'],
    ['moodle/themes/boost', '/theme/styles.php/boost/1700000000_1/all', 'found'],
    ['mediawiki/skins/Citizen', '/w/skins/Citizen/resources/a.css', 'found'],
    ['phpbb/extensions/vse/abbc3', '/ext/vse/abbc3/styles/a.css', 'found'],
    ['phpbb/extensions/vse/abbc3', '/ext/vse/abbc4/styles/a.css', 'not found'],
    ['october/plugins/rainlab/pages', '/plugins/rainlab/pages/assets/js/a.js', 'found'],
    ['shopware/plugins/swagpaypal', '/bundles/swagpaypal/js/a.js', 'found'],
  ])('%s in %s: %s', (name, src, expected) => {
    expect(findScript({ extension: name }, src)).toBe(expected)
  })
})
