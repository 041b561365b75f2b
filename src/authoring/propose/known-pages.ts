import type { PageInput } from '../../engine/page/page.ts'
import type { FoundRule } from '../../rules/discover.ts'
import { readFixtures } from '../../rules/fixtures.ts'
import { readTestText } from '../../rules/rule-tests.ts'
import { readOrdinaryPages } from '../ordinary-pages.ts'

/** Pages whose makers are known. They are only parsed if their text contains a word that matters. */
export interface KnownPages {
  readonly text: string
  readonly readInputs: () => readonly PageInput[]
}

/** Lists the test pages of rules, one item per rule, and the ordinary pages, one item per page. */
export function listKnownPages(rules: readonly FoundRule[]): KnownPages[] {
  const tests = rules.flatMap((found) => {
    const text = readTestText(found)
    return text === null ? [] : [{ text, readInputs: () => readFixtures(found).fixtures.map(({ input }) => input) }]
  })
  const ordinary = readOrdinaryPages().pages.map(({ input }) => ({
    text: JSON.stringify(input),
    readInputs: () => [input],
  }))
  return [...tests, ...ordinary]
}
