import { readFileSync } from 'node:fs'
import type { PageInput } from '../../engine/page/page.ts'
import type { FoundRule } from '../../rules/discover.ts'
import { readFixtures } from '../../rules/fixtures.ts'
import { readOrdinaryPages } from '../ordinary-pages.ts'

/** Pages whose makers are known. They are only parsed if their text contains a word that matters. */
export interface KnownPages {
  readonly text: string
  readonly readInputs: () => readonly PageInput[]
}

/** Lists the test pages of rules, one item per file, and the ordinary pages, one item per page. */
export function listKnownPages(rules: readonly FoundRule[]): KnownPages[] {
  const tested = rules.filter(({ hasTest }) => hasTest)
  const tests = tested.map((found) => ({
    text: readFileSync(found.testFile, 'utf8'),
    readInputs: () => readFixtures(found).fixtures.map(({ input }) => input),
  }))
  const ordinary = readOrdinaryPages().pages.map(({ input }) => ({
    text: JSON.stringify(input),
    readInputs: () => [input],
  }))
  return [...tests, ...ordinary]
}
