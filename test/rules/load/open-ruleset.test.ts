import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { detectors } from '../../../plugins/index.ts'
import { packRuleset, type Ruleset } from '../../../src/engine/lookup/ruleset.ts'
import { buildPage } from '../../../src/engine/page/page.ts'
import { detect } from '../../../src/engine/verdict/detect.ts'
import { findRuleset, ownFolder, writeBuilt } from '../../../src/rules/built.ts'
import { discoverRules } from '../../../src/rules/discover.ts'
import { RulesetError } from '../../../src/rules/findings.ts'
import { readFixtures } from '../../../src/rules/fixtures.ts'
import { openRuleset } from '../../../src/rules/load/open-ruleset.ts'
import { builder, CATEGORIES, placeOf, TEST, technology, writeFolder } from '../../support/rule-folder.ts'
import { buildSmall } from '../small-build.ts'

const yaml = openRuleset({ detectors, built: 'there-is-none.bin' })
/** Pages of every twentieth rule. */
const fixtures = discoverRules(ownFolder).rules.flatMap((found, i) =>
  i % 20 === 0 ? readFixtures(found).fixtures : [],
)

function namesIn(ruleset: Ruleset): string[] {
  return ruleset.rules.map(({ name }) => name)
}

describe('the built file', () => {
  let small = buildSmall()
  beforeEach(() => {
    small = buildSmall()
  })

  test('is read as long as the YAML is unchanged', () => {
    expect(namesIn(openRuleset({ ...small, detectors }))).toEqual(['From the build'])
  })

  test.each<[string, (own: string) => void, string[] | null]>([
    [
      'an edit of a rule',
      (own) => writeFileSync(join(own, 'builders/acme.yaml'), builder().replace('Acme', 'Edited')),
      ['Edited'],
    ],
    ['a comment', (own) => appendFileSync(join(own, 'builders/acme.yaml'), '# seen\n'), ['Acme']],
    ['renaming a rule', (own) => renameSync(join(own, 'builders/acme.yaml'), join(own, 'builders/beta.yaml')), null],
    ['a new rule', (own) => cpSync(join(own, 'builders'), join(own, 'hosting'), { recursive: true }), null],
    ['an edit of a closed list', (own) => appendFileSync(join(own, 'categories.yaml'), '# seen\n'), ['Acme']],
  ])('is ignored after %s', (_, edit, expected) => {
    edit(small.own)
    const open = () => namesIn(openRuleset({ ...small, detectors }))
    if (expected === null) expect(open).toThrow(RulesetError)
    else expect(open()).toEqual(expected)
  })

  test('is ignored if the places have changed', () => {
    const more = [...detectors, { ...detectors[0], key: 'other' }]
    expect(namesIn(openRuleset({ ...small, detectors: more }))).toEqual(['Acme'])
  })

  test('is optional', () => {
    rmSync(small.built)
    expect(namesIn(openRuleset({ ...small, detectors }))).toEqual(['Acme'])
  })
})

test('the built file contains the rules of the YAML exactly, and gives the same verdicts', () => {
  const file = join(writeFolder({}), 'ruleset.bin')
  const { version, categories, rules } = yaml
  writeBuilt(file, packRuleset({ version, categories, rules }, detectors))
  expect(findRuleset({ detectors, built: file })).toMatchObject({ version, file: { version, categories } })
  const built = openRuleset({ detectors, built: file })
  expect(rules.filter((rule, i) => !isDeepStrictEqual(built.rules[i], rule)).map(({ slug }) => slug)).toEqual([])
  expect(built.rules.length).toBe(rules.length)
  const differing = fixtures.filter(({ input }) => {
    const page = buildPage(input)
    return JSON.stringify(detect(built, page)) !== JSON.stringify(detect(yaml, page))
  })
  expect(differing.map(({ path }) => path.join(' '))).toEqual([])
  expect(fixtures.length).toBeGreaterThan(100)
})

test('a group is judged by its built expression: changing it changes the verdict', () => {
  const group = '{ all: [{ meta: acme }, { header: x-acme }] }'
  const { own, built } = buildSmall(builder(group))
  const page = buildPage({ headers: { 'x-acme': '1' }, html: '<p>acme</p>' })
  expect(detect(openRuleset({ own, detectors, built }), page).builderSlug).toBe(null)
  const changed = buildSmall(builder(group), (rule) =>
    JSON.parse(JSON.stringify(rule).replace('"holds":{"and":', '"holds":{"or":')),
  )
  expect(detect(openRuleset({ ...changed, detectors }), page)).toMatchObject({
    builderSlug: 'acme',
    confidence: 'high',
  })
})

describe('folders of an operator', () => {
  const slug = 'acme-analytics'
  const outside = (rule: string, category = 'analytics'): string =>
    writeFolder({
      [`technologies/${category}/${slug}.yaml`]: rule,
      [`technologies/${category}/${slug}.test.yaml`]: TEST,
    })

  const own = writeFolder({
    'categories.yaml': CATEGORIES,
    'builders/kiln.yaml': builder().replace('Acme', 'Kiln').replaceAll('acme', 'kiln'),
    'builders/kiln.test.yaml': TEST.replaceAll('acme', 'kiln'),
  })
  /** Opens additional folders, with a small folder in place of the project's own. */
  const open = (...folders: string[]): Ruleset => openRuleset({ own, folders, detectors })

  test('are loaded in addition to ours and use our closed list if they have none', () => {
    const ruleset = open(outside(technology()))
    expect(namesIn(ruleset)).toEqual(['Kiln', 'Acme'])
    expect(detect(ruleset, buildPage({ url: 'https://acme.com/' })).technologies).toEqual(['Acme'])
    expect(ruleset.version).not.toBe(open().version)
  })

  test('that are given twice are loaded once', () => {
    const folder = outside(technology())
    expect(namesIn(open(folder, folder))).toEqual(['Kiln', 'Acme'])
  })

  test('may name our slugs but not redefine them', () => {
    expect(() => open(outside(technology('', 'implies: kiln\n')))).not.toThrow()
    expect(() => open(outside(technology('', 'implies: klin\n')))).toThrow(RulesetError)
    const taken = writeFolder({ 'builders/kiln.yaml': builder(), 'builders/kiln.test.yaml': TEST })
    expect(() => open(taken)).toThrow(RulesetError)
  })

  test('that contain only an unreadable file are rejected, even if our built file is valid', () => {
    const folder = writeFolder({})
    mkdirSync(join(folder, 'builders'))
    symlinkSync('/etc/hosts', join(folder, 'builders/acme.yaml'))
    expect(() => openRuleset({ ...buildSmall(), folders: [folder], detectors })).toThrow(RulesetError)
  })

  test.each([
    [
      'two problems',
      outside(technology('{ scirpt: /a.js }').replace('2026-11-20', 'today')),
      ['5:7 unknown-key', '7:11 bad-value'],
    ],
    ['an unknown category', outside(technology(), 'analytic'), ['1:1 bad-category']],
  ])('with %s are rejected', (_, folder, expected) => {
    expect.assertions(1)
    try {
      open(folder)
    } catch (error) {
      const findings = error instanceof RulesetError ? error.findings : []
      expect(findings.map((one) => placeOf(one).replace(/^.*\.yaml:/, ''))).toEqual(expected)
    }
  })
})
