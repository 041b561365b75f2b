import { beforeAll, describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { checkBreadth } from '../../src/authoring/breadth.ts'
import { readOrdinaryPages } from '../../src/authoring/ordinary-pages.ts'
import { buildPage, detect } from '../../src/index.ts'
import { ownFolder } from '../../src/rules/built.ts'
import type { FoundRule } from '../../src/rules/discover.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { checkDates, checkFolders } from '../../src/rules/load/load.ts'
import { buildRuleset } from '../../src/rules/load/open-ruleset.ts'
import { runFixture } from '../../src/rules/run-fixture.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { BAD_RULES, type BadRule } from './bad-rules.ts'

function writeRule({ slug, folder, detect, changes = {} }: BadRule): string {
  const builder = folder === 'builders' ? 'category: cms\naiNative: false\n' : ''
  const text = `name: Zed ${slug}\nwebsite: https://zed.example\n${builder}detect:\n  - ${detect}\nsource: https://zed.example/docs\nverified: 2026-11-20\n`
  return Object.entries(changes).reduce((all, [from, to]) => all.replace(from, to), text)
}

function writeTest({ page, level }: BadRule): string {
  return `hits:\n  - page:${page}\n    confidence: ${level}\nmisses:\n  - { page: { url: https://zed.example/ } }\n`
}

interface Refusal {
  /** Codes of lint. */
  readonly lint: Set<string>
  /** Codes of the tests of all rules. */
  readonly test: Set<string>
  /** Codes of the ordinary pages. */
  readonly pages: Set<string>
  /** Findings of its own test. */
  readonly own: string[]
}

/** Slug of a bad rule → the finding that rejects it. */
const refused = new Map<string, Refusal>()
const isBad = ({ found }: { readonly found: FoundRule }): boolean => refused.has(found.slug)
beforeAll(() => {
  const files = BAD_RULES.flatMap((rule) => {
    const path = `${rule.folder}/${rule.slug}`
    refused.set(rule.slug, { lint: new Set(), test: new Set(), pages: new Set(), own: [] })
    return [
      [`${path}.yaml`, writeRule(rule)],
      [`${path}.test.yaml`, writeTest(rule)],
    ]
  })
  const checked = checkFolders({ folders: [ownFolder, writeFolder(Object.fromEntries(files))], detectors })
  const findRefusal = (file: string): Refusal | undefined => refused.get(file.replace(/.*\/|(?:\.test)?\.yaml$/g, ''))
  for (const { file, code } of [...checked.findings, ...checkDates(checked, new Date('2026-12-01'))])
    findRefusal(file)?.lint.add(code)
  const ruleset = buildRuleset(checked, detectors, '')
  const results = readOrdinaryPages().pages.map((page) => ({ page, verdict: detect(ruleset, buildPage(page.input)) }))
  for (const { file, code } of checkBreadth(checked.rules, results)) findRefusal(file)?.pages.add(code)
  // Of the pages of other rules, those matter on which a bad rule fires that nothing has refused so far.
  const isRefused = (slug: string): boolean => {
    const { lint, test } = refused.get(slug) ?? expect.fail(`${slug} is not a bad rule`)
    return lint.size + test.size > 0
  }
  const alone = buildRuleset({ ...checked, rules: checked.rules.filter(isBad) }, detectors, '')
  const fixtures = checked.rules.flatMap((rule) =>
    readFixtures(rule.found).fixtures.map((fixture) => ({ rule, fixture })),
  )
  for (const { rule, fixture } of fixtures)
    if (isBad(rule) || !detect(alone, buildPage(fixture.input)).evidence.every(({ slug }) => isRefused(slug)))
      for (const { code, sentence } of runFixture(fixture, ruleset).findings) {
        refused.get(rule.found.slug)?.own.push(`${code}: ${sentence}`)
        if (code !== 'unrelated-hit' || isBad(rule)) continue
        refused.get(sentence.split(' ')[1])?.test.add(code)
      }
})

describe('a bad rule is refused by the finding of the table', () => {
  test.each(BAD_RULES.map((rule) => [rule.slug, rule] as const))('%s', (slug, { finding }) => {
    const { lint, test: tested, pages, own } = refused.get(slug) ?? expect.fail('the rule was not run')
    const first = [lint, tested, pages].find(({ size }) => size > 0) ?? []
    expect([...first]).toEqual([finding])
    // Its own test passes, except for rules that are not compiled, and for bad rules that fire on each other's pages.
    expect(lint.size > 0 ? [] : own.filter((one) => !one.startsWith('unrelated-hit'))).toEqual([])
  })
})
