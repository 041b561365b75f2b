import { beforeAll, describe, expect, test } from 'vitest'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { readAttribute, readText } from '../../src/engine/page/element.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { detect, toResult } from '../../src/index.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { hostilePages } from './support/hostile-pages.ts'
import { getVerdict, technology } from './support/tiny-rules.ts'

describe('a hostile page gives a verdict, with a warning for each cut', () => {
  let ruleset: Ruleset
  beforeAll(() => {
    ruleset = openOwnRuleset()
  })

  test.each(hostilePages)('%s', (_, input, warnings) => {
    const page = buildPage(input)
    const verdict = detect(ruleset, page)
    expect(page.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)))
    expect(verdict.warnings.filter((one) => !one.startsWith('the answer is not the site'))).toEqual(page.warnings)
    expect(JSON.stringify(toResult(verdict, ['evidence', 'versions', 'warnings'])).length).toBeLessThan(100_000)
  })
})

describe('below depth 512', () => {
  const deep = (open: string, close: string, inner: string): string => `${open.repeat(600)}${inner}${close.repeat(600)}`
  const html = `${deep('<div>', '</div>', '<b id=deep data-a=x>deep words</b><a href=/deep>y</a>')}<section><p id=after>z</p></section>`
  const { tape, text, urls, warnings } = buildPage({ html })
  const at = (id: string): number => tape.tags.findIndex((_, i) => readAttribute(tape, i, 'id') === id)

  test('text, attributes and URLs are read', () => {
    expect(text).toBe('deep wordsy z')
    expect(readAttribute(tape, at('deep'), 'data-a')).toBe('x')
    expect(urls.map(({ url }) => url.path)).toEqual(['/deep'])
  })

  test('parents are not stored', () => {
    expect(tape.parents[at('deep')]).toBe(-1)
    expect([tape.parents[511], tape.parents[512]]).toEqual([510, -1])
  })

  test('the text belongs to the ancestors above the bound', () => {
    expect(readText(tape, 511).trim()).toBe('deep wordsy')
  })

  test('the warning counts each element', () => {
    expect(warnings).toEqual(['90 elements are nested deeper than 512: their parents were not stored'])
  })

  test.each<[string, string]>([
    ['one tag', html],
    ['several tags', `${deep('<ul><li><b>', '</b></li></ul>', 'x')}<section><p id=after>z</p></section>`],
    ['with void tags', `${deep('<div><br><img src=x>', '</div>', 'x')}<section><p id=after>z</p></section>`],
    [
      'with scripts and templates',
      `${deep('<div>', '</div>', '<script>"</div>"</script><template><i></i></template>')}<section><p id=after>z</p></section>`,
    ],
  ])('the tree is correct again after deep elements are closed: %s', (_, source) => {
    const rules = [
      technology('x', { detect: [{ element: 'section > #after' }] }),
      technology('y', { detect: [{ element: 'div #after, ul #after' }] }),
    ]
    expect(getVerdict(rules, { html: source }).technologies).toEqual(['X'])
  })
})

test('the first 256 attributes of a tag are read', () => {
  const { tape, warnings } = buildPage({
    html: `<p ${Array.from({ length: 300 }, (_, i) => `a${i}=v`).join(' ')}>text<b id=next>`,
  })
  expect([readAttribute(tape, 0, 'a255'), readAttribute(tape, 0, 'a256'), readAttribute(tape, 1, 'id')]).toEqual([
    'v',
    undefined,
    'next',
  ])
  expect(warnings).toEqual(['44 attributes were skipped: only the first 256 of a tag are read'])
})
