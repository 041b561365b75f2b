import { existsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { compareVerdicts, type NamedPage, type PageChange } from '../../authoring/compare-verdicts.ts'
import { readOrdinaryPages } from '../../authoring/ordinary-pages.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import { ownFolder } from '../../rules/built.ts'
import { discoverRules, type FoundRule } from '../../rules/discover.ts'
import { type Fixture, readFixtures } from '../../rules/fixtures.ts'
import { checkFolders } from '../../rules/load/load.ts'
import { buildRuleset, openRuleset } from '../../rules/load/open-ruleset.ts'
import { readTestText } from '../../rules/rule-tests.ts'
import { checkFiles } from '../command/check-files.ts'
import { type CommandIo, EXIT } from '../command/command.ts'
import { type Given, readListOption, readTextOption } from '../command/verbs.ts'
import { readDiffFormat } from './format-diff.ts'
import { RuleRepository } from './git-rules.ts'
import { readPageFile } from './page-files.ts'
import { type RuleWork, requireCheckout } from './rule-work.ts'

/** Compares the verdicts of the rules of a commit with those of the working tree. Today's engine runs both. */
export function diffRules(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  requireCheckout('diff')
  const format = readDiffFormat(readTextOption(given, 'format'))
  const files = readListOption(given, 'pages')
  const readers = files.map((file) => [file, readPageFile(file)] as const)
  return async ({ folders, detectors }) => {
    for (const file of files) await checkFiles({ pages: file })
    const repository = new RuleRepository(dirname(ownFolder))
    const from = repository.findRevision(given.args[0])
    const old = repository.checkOut(from, basename(ownFolder))
    try {
      const after = openRuleset({ folders: folders.slice(1), detectors })
      const { ruleset: before, skipped } = openOldRules([old.folder, ...folders.slice(1)], detectors)
      if (skipped.length > 0)
        stderr.write(
          `rules of ${from.ref} that are ignored, because today's engine does not accept them: ${skipped.join(', ')}\n`,
        )
      const changes: PageChange[] = []
      let pages = 0
      const compare = (page: NamedPage): void => {
        pages++
        const change = compareVerdicts(before, after, page)
        if (change !== null) changes.push(change)
      }
      for (const page of listTestPages(folders, old.folder, from.ref)) compare(page)
      for (const [, reader] of readers) for await (const page of reader) compare(page)
      stdout.write(format({ from, pages, changes }))
      return EXIT.ok
    } finally {
      old.remove()
    }
  }
}

/** Opens the rules of a commit, except those that have errors: checks may have become stricter since. */
function openOldRules(
  folders: readonly string[],
  detectors: readonly Detector[],
): { readonly ruleset: Ruleset; readonly skipped: readonly string[] } {
  const checked = checkFolders({ folders, detectors })
  const skipped = checked.rules.filter(({ compiled }) => compiled === null)
  return {
    ruleset: buildRuleset(checked, detectors, ''),
    skipped: skipped.map(({ found }) => `${found.kind}/${found.slug}`),
  }
}

/** Lists the test pages of the rules, those that only the commit had, and the ordinary pages. */
function* listTestPages(folders: readonly string[], old: string, ref: string): Generator<NamedPage> {
  const own = discoverRules(folders[0]).rules
  const current = [...own, ...folders.slice(1).flatMap((folder) => discoverRules(folder).rules)]
  const seen = new Set<string>()
  for (const found of current)
    for (const fixture of readFixtures(found).fixtures) {
      seen.add(JSON.stringify(fixture.input))
      yield { name: formatFixture(fixture), input: fixture.input }
    }
  for (const found of discoverRules(old).rules.filter((rule) => isChanged(rule, old, folders[0])))
    for (const fixture of readFixtures(found).fixtures)
      if (!seen.has(JSON.stringify(fixture.input)))
        yield { name: `${formatFixture(fixture)} of ${ref}`, input: fixture.input }
  for (const { file, about, input } of readOrdinaryPages().pages) yield { name: `${file.file}: ${about}`, input }
}

/** Whether the working tree has other tests of a rule than the commit. */
function isChanged(rule: FoundRule, old: string, own: string): boolean {
  const before = readTestText(rule)
  if (before === null) return false
  const [file, testFile] = [rule.file, rule.testFile].map((path) => join(own, relative(old, path)))
  const hasTest = existsSync(testFile)
  if (!hasTest && !existsSync(file)) return true
  return before.trim() !== readTestText({ file, testFile, hasTest })?.trim()
}

/** Names a page of a test file: `builder/acme hit 2`. */
function formatFixture({ rule, path: [list, index] }: Fixture): string {
  return `${rule.kind}/${rule.slug} ${list === 'hits' ? 'hit' : 'miss'} ${Number(index) + 1}`
}
