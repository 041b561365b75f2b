import { readFileSync } from 'node:fs'
import { splitDocuments } from '../yaml/documents.ts'
import { SourceFile } from '../yaml/source-file.ts'
import type { FoundRule } from './discover.ts'

/** Where the tests of a rule are. */
type TestedRule = Pick<FoundRule, 'file' | 'testFile' | 'hasTest' | 'isBuilt'>

/** Reads the text of the tests of a rule: its test file, or what follows the line `---` in its own file. Returns null if it has none. */
export function readTestText({ file, testFile, hasTest, isBuilt }: TestedRule): string | null {
  if (isBuilt) return null
  return hasTest ? readFileSync(testFile, 'utf8') : splitDocuments(readFileSync(file, 'utf8')).second
}

/** Opens the tests of a rule, with their positions in the file that has them. Returns null if the rule has none. */
export function openTests(rule: TestedRule): SourceFile | null {
  if (rule.hasTest) return new SourceFile(rule.testFile)
  return readTestText(rule) === null ? null : new SourceFile(rule.file, { document: 'second' })
}
