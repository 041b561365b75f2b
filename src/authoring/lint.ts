import type { Finding } from '../rules/findings.ts'
import { readFixtures } from '../rules/fixtures.ts'
import type { FileMemory } from '../rules/load/file-memory.ts'
import { type CheckedRules, checkDates, lowerImported } from '../rules/load/load.ts'
import { checkAbout } from './check-about.ts'
import { checkMisses } from './far-miss.ts'
import { checkGenericWords, readRuleWords } from './generic-words.ts'
import { checkNetworks } from './known-networks.ts'

/** Everything that lint reports: problems of the rules, of their dates, and of their test files. */
export function lintRules(checked: CheckedRules, memory?: FileMemory): Finding[] {
  const { places, findings } = checked
  const rules = checked.rules.filter(({ found }) => !found.isBuilt)
  const tests = rules.map((rule) => {
    const read = () => {
      const test = readFixtures(rule.found)
      const own = [...checkMisses(rule.source, test.fixtures, places), ...checkNetworks(rule)]
      return { findings: [...test.findings, ...own], ...readRuleWords(rule, test.fixtures, places) }
    }
    return { rule, ...(memory === undefined ? read() : memory.recall(rule.found, 'test', read)) }
  })
  return [
    ...findings,
    ...checkAbout(rules),
    ...checkDates(checked, new Date()),
    ...lowerImported([...tests.flatMap((test) => test.findings), ...checkGenericWords(tests, places, memory)], rules),
  ]
}
