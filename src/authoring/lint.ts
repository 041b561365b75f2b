import type { Places } from '../engine/rule/clause.ts'
import type { CheckedRule } from '../rules/checks/rule-checks.ts'
import type { Finding } from '../rules/findings.ts'
import { readFixtures } from '../rules/fixtures.ts'
import type { FileMemory } from '../rules/load/file-memory.ts'
import { type CheckedRules, checkDates, lowerImported } from '../rules/load/load.ts'
import { checkAbout } from './check-about.ts'
import { checkMisses } from './far-miss.ts'
import { checkGenericWords, readPageTexts, readRuleWords } from './generic-words.ts'
import { checkNetworks } from './known-networks.ts'

/** Everything that lint reports: problems of the rules, of their dates, and of their test files. */
export function lintRules(checked: CheckedRules, memory?: FileMemory): Finding[] {
  const { places, findings } = checked
  const rules = checked.rules.filter(({ found }) => !found.isBuilt)
  const tests = rules.map((rule) => readTest(rule, places, memory))
  return [
    ...findings,
    ...checkAbout(rules),
    ...checkDates(checked, new Date()),
    ...lowerImported([...tests.flatMap((test) => test.findings), ...checkGenericWords(tests, places, memory)], rules),
  ]
}

/** Checks the test of a rule alone, and reads what the check of words needs of it. */
function readTest(rule: CheckedRule, places: Places, memory: FileMemory | undefined) {
  let texts: readonly string[] | undefined
  const check = () => {
    const { fixtures, findings } = readFixtures(rule.found)
    texts = readPageTexts(fixtures)
    const own = [...checkMisses(rule.source, fixtures, places), ...checkNetworks(rule)]
    return { findings: [...findings, ...own], ...readRuleWords(rule, fixtures, places) }
  }
  const checked = memory === undefined ? check() : memory.recall(rule.found, 'test', check)
  const readTexts = (): readonly string[] => texts ?? readPageTexts(readFixtures(rule.found).fixtures)
  const readPages = (): readonly string[] =>
    memory === undefined || texts !== undefined ? readTexts() : memory.recall(rule.found, 'pages', readTexts)
  return { rule, readPages, ...checked }
}
