import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { buildCatalogue } from '../../src/detector/catalogue.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { builder, CATEGORIES, findingsOf, TEST, technology, writeFolder } from '../support/rule-folder.ts'

const MISSES = 'misses:\n  - { page: { url: https://example.com/ } }\n'
const onAcme = (confidence: string): string =>
  `hits:\n  - { page: { url: https://acme.com/ }, confidence: ${confidence}, also: [acme] }\n${MISSES}`

const podcasts = {
  'builders/acme.yaml': builder().replace('category: cms', 'category: podcast'),
  'builders/acme.test.yaml': TEST,
  'site-types/audio.yaml': technology()
    .replace('url: acme.com', '{ found: category:podcast, points: { audio: 20 } }')
    .replace('detect:', 'thin: true\ndetect:')
    .replace('Acme', 'Audio'),
  'site-types/audio.test.yaml': onAcme('medium'),
}

/** Without warnings: here the miss of the site type need not be similar. */
const errorsOf = (root: string) => findingsOf(root).filter(({ level }) => level === 'error')

test('a new category is one line of categories.yaml, and a site type names its builders by it', () => {
  const root = writeFolder({ ...podcasts, 'categories.yaml': CATEGORIES.replace('cms:', 'podcast: {}\n  cms:') })
  expect(errorsOf(root)).toEqual([])
  const ruleset = openRuleset({ own: root, detectors })
  const { evidence, ...verdict } = detect(ruleset, buildPage({ url: 'https://acme.com/' }))
  expect(verdict).toMatchObject({ builder: 'Acme', category: 'podcast' })
  const audio = evidence.find(({ slug }) => slug === 'audio')
  expect(audio?.clauses.map(({ clause, texts }) => [clause, texts])).toEqual([
    ['{ found: category:podcast }', ['Acme']],
  ])
  expect(buildCatalogue(ruleset.rules)[0]).toMatchObject({ slug: 'acme', category: 'podcast' })
})

test('without that line, both rules are reported', () => {
  const root = writeFolder({ ...podcasts, 'categories.yaml': CATEGORIES })
  expect(errorsOf(root).map(({ file, code }) => [file.split('/').at(-1), code])).toEqual([
    ['acme.yaml', 'bad-category'],
    ['audio.yaml', 'unknown-slug'],
  ])
})

test('a builder of another category does not count', () => {
  const root = writeFolder({
    ...podcasts,
    'builders/beta.yaml': builder().replaceAll('acme', 'beta').replaceAll('Acme', 'Beta'),
    'builders/beta.test.yaml': TEST.replaceAll('acme', 'beta'),
    'categories.yaml': CATEGORIES.replace('cms:', 'podcast: {}\n  cms:'),
  })
  expect(errorsOf(root)).toEqual([])
  const verdict = detect(openRuleset({ own: root, detectors }), buildPage({ url: 'https://beta.com/' }))
  expect([verdict.category, verdict.evidence.map(({ slug }) => slug)]).toEqual(['cms', ['beta']])
})
