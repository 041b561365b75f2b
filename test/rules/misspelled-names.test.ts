import { describe, expect, test } from 'vitest'
import { CATEGORIES, findingsOf, writeFolder } from '../support/rule-folder.ts'

/** Lists the findings of a rule without a test file. */
function lint(clause: string, source = 'https://www.npmjs.com/package/swiper'): readonly string[] {
  const rule = `name: Slides
website: https://swiperjs.com
detect: [${clause}]
source: ${source}
verified: 2026-11-20
`
  const files = { 'categories.yaml': CATEGORIES, 'technologies/analytics/slides.yaml': rule }
  return findingsOf(writeFolder(files)).map(({ code, sentence }) =>
    `${code} ${/did you mean "([^"]+)"/.exec(sentence)?.[1] ?? ''}`.trim(),
  )
}

const AKISMET = 'https://wordpress.org/plugins/akismet/'

describe('a rule of one exact name', () => {
  test.each([
    ['{ npm: swiper }', undefined],
    ["{ npm: '@fancyapps/ui' }", 'https://www.npmjs.com/package/@fancyapps/ui'],
    ['{ extension: wordpress/plugins/akismet }', AKISMET],
    ['{ npm: [swiper, swiper-element] }', '[https://www.npmjs.com/package/swiper, https://unpkg.com/swiper-element]'],
    ['{ npm: swiper, version: false }', undefined],
  ])('%s needs no test file', (clause, source) => {
    expect(lint(clause, source)).toEqual([])
  })
})

describe('a name that is misspelled is an error', () => {
  test.each<[clause: string, expected: string, source?: string]>([
    ['{ npm: swipper }', 'unknown-name swiper'],
    ['{ npm: swipe }', 'unknown-name swiper'],
    ['{ npm: siwper }', 'unknown-name swiper'],
    ['{ npm: swiper-js }', 'unknown-name swiper'],
    ['{ npm: swiper.js }', 'unknown-name swiper'],
    ['{ npm: [swiper, swiper-elemnt] }', 'unknown-name swiper'],
    ['{ npm: swiper@11 }', 'bad-value'],
    ['{ npm: swiper/dist }', 'bad-value'],
    ['{ npm: https://www.npmjs.com/package/swiper }', 'bad-value'],
    ['{ npm: @swiper }', 'bad-yaml'],
    ["{ npm: '@swiper/' }", 'bad-value'],
    ['{ npm: /swiper }', 'bad-value'],
    ['{ extension: wordpress/plugins/akismt }', 'unknown-name akismet', AKISMET],
    ['{ extension: wordpress/plugin/akismet }', 'bad-value', AKISMET],
    ['{ extension: wordpres/plugins/akismet }', 'bad-value', AKISMET],
    ['{ extension: wp-content/plugins/akismet }', 'bad-value', AKISMET],
    ['{ extension: wordpress/plugins/akismet/ }', 'bad-value', AKISMET],
    ['{ extension: akismet }', 'bad-value', AKISMET],
    ['{ extension: wordpress/plugins/aksimet }', 'unknown-name akismet', AKISMET],
    ['{ extension: wordpress/plugins/akismet-pro }', 'unknown-name akismet', AKISMET],
    ['{ extension: [wordpress/plugins/akismet, wordpress/plugins/akismett] }', 'unknown-name akismet', AKISMET],
    ['{ extension: wordpress/akismet }', 'bad-value', AKISMET],
    ['{ extension: /wordpress/plugins/akismet }', 'bad-value', AKISMET],
    ['{ extension: drupal/plugins/akismet }', 'bad-value', AKISMET],
    ['{ file: swipper.js }', 'unknown-name'],
    ['{ file: swiper.min.js }', 'bad-value'],
    ['{ file: swiper-11.0.5.js }', 'bad-value'],
    ['{ file: /swiper.js }', 'bad-value'],
    ['{ file: swiper }', 'bad-value'],
    ['{ file: swpier.js }', 'unknown-name'],
    ['{ file: [swiper.js, swipre.js] }', 'unknown-name'],
    ['{ file: swiper.jss }', 'bad-value'],
    ['{ file: swiper.js?ver=11 }', 'bad-value'],
    ['{ file: js/swiper.js }', 'bad-value'],
    ['{ nmp: swiper }', 'unknown-key'],
    ['{ npm: swiper, version: true }', 'bad-value'],
  ])('%s: %s', (clause, expected, source) => {
    expect(lint(clause, source)[0]).toBe(expected)
  })
})
