import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { RulesetError } from '../../src/rules/findings.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { readOwnRules } from '../support/real-cases.ts'
import { builder, placeOf, TEST, technology, writeFolder } from '../support/rule-folder.ts'
import { buildOwn, buildSmall } from './small-build.ts'

const { fixtures } = readOwnRules()
const yaml = openRuleset({ detectors, built: 'there-is-none.json' })

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

test('the built file gives the same verdicts as the YAML on every fixture page', () => {
  const own = join(writeFolder({}), 'rules')
  cpSync(ownFolder, own, { recursive: true })
  const built = openRuleset({ own, detectors, built: buildOwn(own) })
  expect(built.version).toBe(yaml.version)
  const differing = fixtures.filter(({ input }) => {
    const page = buildPage(input)
    return JSON.stringify(detect(built, page)) !== JSON.stringify(detect(yaml, page))
  })
  expect(differing.map(({ name }) => name)).toEqual([])
  expect(fixtures.length).toBeGreaterThan(500)
})

test('points come only from the built expression: changing it changes the verdict', () => {
  const { own, built } = buildSmall()
  const page = buildPage({ url: 'https://acme.com/' })
  expect(detect(openRuleset({ own, detectors, built }), page)).toMatchObject({
    builderSlug: 'acme',
    confidence: 'high',
  })
  writeFileSync(built, readFileSync(built, 'utf8').replace(/"logic":\{"if":\[(.*?),6,/, '"logic":{"if":[$1,3,'))
  expect(detect(openRuleset({ own, detectors, built }), page)).toMatchObject({
    builderSlug: 'acme',
    confidence: 'medium',
  })
})

describe('folders of an operator', () => {
  const slug = 'acme-analytics'
  const outside = (rule: string, category = 'analytics'): string =>
    writeFolder({
      [`technologies/${category}/${slug}.yaml`]: rule,
      [`technologies/${category}/${slug}.test.yaml`]: TEST,
    })

  test('are loaded in addition to ours and use our closed list if they have none', () => {
    const ruleset = openRuleset({ folders: [outside(technology())], detectors })
    expect(ruleset.rules.length).toBe(yaml.rules.length + 1)
    expect(detect(ruleset, buildPage({ url: 'https://acme.com/' })).technologies).toEqual(['Acme'])
    expect(ruleset.version).not.toBe(yaml.version)
  })

  test('that are given twice are loaded once', () => {
    const folder = outside(technology())
    expect(openRuleset({ folders: [folder, folder], detectors }).rules.length).toBe(yaml.rules.length + 1)
  })

  test('may name our slugs but not redefine them', () => {
    expect(() => openRuleset({ folders: [outside(technology('', 'implies: wordpress\n'))], detectors })).not.toThrow()
    const taken = writeFolder({ 'builders/wix.yaml': builder(), 'builders/wix.test.yaml': TEST })
    expect(() => openRuleset({ folders: [taken], detectors })).toThrow(RulesetError)
  })

  test('that contain only an unreadable file are rejected, even if our built file is valid', () => {
    const folder = writeFolder({})
    mkdirSync(join(folder, 'builders'))
    symlinkSync('/etc/hosts', join(folder, 'builders/acme.yaml'))
    const own = join(writeFolder({}), 'rules')
    cpSync(ownFolder, own, { recursive: true })
    expect(() => openRuleset({ own, folders: [folder], detectors, built: buildOwn(own) })).toThrow(RulesetError)
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
      openRuleset({ folders: [folder], detectors })
    } catch (error) {
      const findings = error instanceof RulesetError ? error.findings : []
      expect(findings.map((one) => placeOf(one).replace(/^.*\.yaml:/, ''))).toEqual(expected)
    }
  })
})
