import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ownFolder } from '../src/rules/built.ts'
import { discoverRules } from '../src/rules/discover.ts'
import { splitDocuments } from '../src/yaml/documents.ts'

/** Maximum number of lines of tests that are moved into the file of their rule. Longer ones would hide the rule. */
const MAX_LINES = 20

/** Moves the short tests of the project's rules from a file of their own into the file of the rule. */
function foldTests(): number {
  const short = discoverRules(ownFolder).rules.filter(({ file, testFile, hasTest, kind }) => {
    // `rules fit` writes into the files of site types.
    if (!hasTest || kind === 'site-type' || splitDocuments(readFileSync(file, 'utf8')).second !== null) return false
    const tests = readFileSync(testFile, 'utf8')
    return !tests.includes('\n---') && tests.trimEnd().split('\n').length <= MAX_LINES
  })
  for (const { file, testFile } of short) {
    const [rule, tests] = [file, testFile].map((path) => readFileSync(path, 'utf8').trimEnd())
    writeFileSync(file, `${rule}\n---\n${tests}\n`)
    rmSync(testFile)
  }
  return short.length
}

console.log(`${foldTests()} tests were moved into the files of their rules`)
