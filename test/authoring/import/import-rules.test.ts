import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../../plugins/index.ts'
import { type ImportResult, importRules } from '../../../src/authoring/import/import-rules.ts'
import { readFingerprints } from '../../../src/authoring/import/read-fingerprints.ts'
import type { Ruleset } from '../../../src/engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../../../src/engine/page/page.ts'
import { indexPlaces } from '../../../src/engine/rule/clause.ts'
import { analyzePage } from '../../../src/engine/verdict/analyze-page.ts'
import { rankLevel } from '../../../src/engine/verdict/score.ts'
import { detect } from '../../../src/index.ts'
import type { Finding } from '../../../src/rules/findings.ts'
import { checkFolders } from '../../../src/rules/load/load.ts'
import { buildRuleset } from '../../../src/rules/load/open-ruleset.ts'
import { PatternJudge } from '../../../src/rules/patterns/pattern-judge.ts'
import { hostilePages } from '../../engine/support/hostile-pages.ts'
import { CATEGORIES, writeFolder } from '../../support/rule-folder.ts'
import { madeFiles, madeSet } from './made-set.ts'

const categories = {
  builders: { cms: {} },
  technologies: { analytics: 'Analytics', 'web-server': 'Web servers', payment: 'Payments' },
}
const base = `${CATEGORIES}  web-server: Web servers\n  payment: Payments\n`
const judge = new PatternJudge()

function run(files: readonly unknown[], more: Partial<Parameters<typeof importRules>[1]> = {}): ImportResult {
  const options = {
    places: indexPlaces(detectors),
    categories,
    judge,
    known: [],
    prefix: 'imported-',
    skipsKnown: false,
  }
  return importRules(readFingerprints(files), { ...options, ...more })
}

/** Loads what was imported next to a folder without rules. */
function load({ files }: ImportResult): { readonly ruleset: Ruleset; readonly findings: readonly Finding[] } {
  const folder = writeFolder(Object.fromEntries(files.map(({ path, text }) => [`mine/${path}`, text])))
  const own = writeFolder({ 'categories.yaml': base })
  const checked = checkFolders({ folders: [own, `${folder}/mine`], detectors })
  return { ruleset: buildRuleset(checked, detectors, ''), findings: checked.findings }
}

describe('the made set', () => {
  let result: ImportResult
  let ruleset: Ruleset
  let findings: readonly Finding[]
  beforeAll(() => {
    result = run(madeFiles)
    ;({ ruleset, findings } = load(result))
  })
  const find = (input: PageInput, name: string) => {
    const { products, technologies } = analyzePage(ruleset, buildPage(input))
    const found = [...products.values()].find(({ rule }) => rule.name === name)
    return {
      isNamed: rankLevel(found?.level ?? null) >= rankLevel('medium') && technologies.includes(found as never),
      found,
    }
  }

  test('has two hundred fingerprints at least, with names of their own', () => {
    expect(new Set(madeSet.map(({ name }) => name)).size).toBe(madeSet.length)
    expect(madeSet.length).toBeGreaterThanOrEqual(200)
    expect(result.rules).toBe(madeSet.length + 3)
  })

  test('loads: nothing is an error, and lint asks for tests', () => {
    expect(findings.filter(({ level }) => level === 'error')).toEqual([])
    expect(findings.filter(({ code }) => code === 'missing-test')).toHaveLength(result.rules)
  })

  test('is imported the same way again', () => {
    expect(run(madeFiles)).toEqual(result)
  })

  describe.each(madeSet)('$shape: $name', ({ name, hit, miss, version, notes }) => {
    test('carries everything over or reports it', () => {
      const own = result.notes.filter(({ rule }) => rule === name).map(({ reason }) => reason)
      expect([...own].sort()).toEqual([...notes].sort())
    })

    test('fires on its page, not on the near miss', () => {
      const { isNamed, found } = find(hit, name)
      expect(isNamed).toBe(true)
      expect(found?.version).toBe(version)
      expect(find(miss, name).isNamed).toBe(false)
    })
  })

  test.each(hostilePages)('gives a verdict on a hostile page: %s', (_, input) => {
    expect(detect(ruleset, buildPage(input)).evidence.length).toBeLessThanOrEqual(100)
  })
})

describe('relations', () => {
  const one = (html: string, more = {}): object => ({ cats: [10], website: 'https://a.example', html, ...more })
  const known = [{ slug: 'acme', name: 'Acme' }]
  const relationsOf = (files: readonly unknown[], more = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(
      run(files, { known, ...more }).files.map(({ path, text }) => [
        path.replace(/^.*\/|\.yaml$/g, ''),
        (text.match(/^(?:implies|requires|excludes): .*$/gm) ?? []).join('; '),
      ]),
    )

  test.each<[what: string, set: object, options: object, wanted: Readonly<Record<string, string>>]>([
    [
      'a taken slug gets a prefix, and relations name the imported rule',
      { Acme: one('acme-mark'), Bolt: one('bolt-mark', { requires: 'Acme' }) },
      {},
      { 'imported-acme': '', bolt: 'requires: [imported-acme]' },
    ],
    ['the prefix can be chosen', { Acme: one('acme-mark') }, { prefix: 'mine-' }, { 'mine-acme': '' }],
    [
      'a known technology can be left out',
      { Acme: one('acme-mark'), Bolt: one('bolt-mark', { implies: 'Acme' }) },
      { skipsKnown: true },
      { bolt: 'implies: [acme]' },
    ],
    [
      'a known technology outside of the set',
      { Bolt: one('bolt-mark', { implies: 'acme' }) },
      {},
      { bolt: 'implies: [acme]' },
    ],
    [
      'a cycle is cut where it closes',
      { Bolt: one('bolt-mark', { implies: 'Nut' }), Nut: one('nuts-mark', { implies: ['Bolt', 'Nut'] }) },
      {},
      { bolt: 'implies: [nut]', nut: '' },
    ],
    [
      'a technology that only others imply has a rule, one that nothing shows has none',
      {
        Bolt: one('bolt-mark', { implies: 'Nut' }),
        Nut: { cats: [10], js: { nut: '' } },
        Ring: { cats: [10], js: { ring: '' } },
      },
      {},
      { bolt: 'implies: [nut]', nut: '' },
    ],
    [
      'names become slugs',
      { 'Böhm & Co+': one('boehm-mark'), 'C#': one('sharp-mark') },
      {},
      { 'bohm-and-co-plus': '', 'c-sharp': '' },
    ],
  ])('%s', (_, set, options, wanted) => {
    expect(relationsOf([set], options)).toEqual(wanted)
  })
})

describe('files', () => {
  const data = { cats: [10], html: 'acme-mark' }
  test.each<[what: string, file: unknown, names: readonly string[]]>([
    ['fingerprints by name', { Acme: data }, ['Acme']],
    ['below technologies', { technologies: { Acme: data } }, ['Acme']],
    ['below apps', { apps: { Acme: data }, categories: { 10: { name: 'Numbers' } } }, ['Acme']],
    ['a list', [{ name: 'Acme', ...data }], ['Acme']],
    ['categories alone', { 10: { name: 'Numbers', priority: 1 } }, []],
  ])('are read: %s', (_, file, names) => {
    expect(readFingerprints([file]).fingerprints.map(({ name }) => name)).toEqual(names)
  })

  test.each<[what: string, file: unknown, message: RegExp]>([
    ['a text', 'acme', /no fingerprints/],
    ['other data', { acme: { version: 1 } }, /"acme" is not a fingerprint/],
    ['a list without names', [data], /no `name`/],
  ])('are rejected: %s', (_, file, message) => {
    expect(() => readFingerprints([file])).toThrow(message)
  })
})
