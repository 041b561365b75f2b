import { beforeAll, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { checkGenericWords, readRuleWords } from '../../src/authoring/generic-words.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { CATEGORIES, writeFolder } from '../support/rule-folder.ts'
import { GENERIC_CLAUSES, SPECIFIC_CLAUSES } from './planted-clauses.ts'

/** Clause → the sentences about it. */
const found = new Map<string, string[]>()

beforeAll(() => {
  const all = [...GENERIC_CLAUSES, ...SPECIFIC_CLAUSES]
  const files = all.map((clause, i) => [
    `builders/acme-${i}.yaml`,
    `name: Acme ${i}\nwebsite: https://kilnsites.net\ncategory: cms\naiNative: false\ndetect:\n  - ${clause}\nsource: https://kilnsites.net/docs\nverified: 2026-11-20\n`,
  ])
  const { rules, places } = checkFolders({
    folders: [writeFolder({ 'categories.yaml': CATEGORIES, ...Object.fromEntries(files) })],
    detectors,
  })
  for (const rule of rules) {
    const clause = all[Number(rule.found.slug.replace('acme-', ''))]
    const problems = rule.source === null ? rule.findings.filter(({ level }) => level === 'error') : []
    const generic = checkGenericWords([{ rule, readPages: () => [], ...readRuleWords(rule, [], places) }], places)
    found.set(
      clause,
      [...problems, ...generic]
        .filter(({ code }) => code !== 'missing-test')
        .map(({ code, sentence }) => `${code}: ${sentence}`),
    )
  }
})

test.each(GENERIC_CLAUSES)('generic: %s', (clause) => {
  expect(found.get(clause)?.[0]).toMatch(/^generic-word: ".+" is on about \d+ of \d+ ordinary sites/)
})

test.each(SPECIFIC_CLAUSES)('specific: %s', (clause) => {
  expect(found.get(clause)).toEqual([])
})
