import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { detectors } from '../../plugins/index.ts'
import { checkAbout } from '../../src/authoring/check-about.ts'
import { checkMisses } from '../../src/authoring/far-miss.ts'
import { checkNetworks } from '../../src/authoring/known-networks.ts'
import { checkProof } from '../../src/authoring/proof.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { ownFolder } from '../../src/rules/built.ts'
import type { Finding } from '../../src/rules/findings.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { deriveFixtures } from '../../src/rules/load/derived-fixtures.ts'
import { checkDates, checkFolders } from '../../src/rules/load/load.ts'
import { runFixture } from '../../src/rules/run-fixture.ts'
import { onFileEnd } from './on-file-end.ts'

/** Path → content. */
export type Files = Readonly<Record<string, string>>

/** Writes files below a new folder, which is deleted after the test file. */
export function writeFolder(files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'siteprint-test-'))
  onFileEnd(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  return root
}

/** Reads rules of the project and their tests, which may be in the same file, such as `hosting/vercel`, for a folder of rules below a folder of a test. */
export function ownRules(folder: string, ...names: readonly string[]): Files {
  const files = names
    .flatMap((name) => [`${name}.yaml`, `${name}.test.yaml`])
    .filter((file) => existsSync(join(ownFolder, file)))
  return Object.fromEntries(files.map((file) => [`${folder}/${file}`, readFileSync(join(ownFolder, file), 'utf8')]))
}

export const CATEGORIES =
  'builders:\n  cms: {}\n  static-site: { standsBack: true }\ntechnologies:\n  analytics: Analytics\n'
export const TEST = `hits:
  - { page: { url: https://acme.com/ }, confidence: high }
misses:
  - { page: { url: https://example.com/acme } }
`

/** Builds a builder rule that passes `TEST`: a first clause for that, then the given ones. */
export function builder(clauses = '', more = ''): string {
  const detect = `detect:\n  - url: acme.com\n${clauses && `  - ${clauses}\n`}`
  return `name: Acme\nwebsite: https://acme.com\ncategory: cms\naiNative: false\n${detect}source: https://acme.com/docs\nverified: 2026-11-20\n${more}`
}

/** Builds the same for other kinds, which have fewer keys. */
export function technology(clauses = '', more = ''): string {
  return builder(clauses, more).replace('category: cms\naiNative: false\n', '')
}

/** The day on which the rules of tests are checked. */
const TODAY = new Date('2026-12-01T12:00:00Z')

/** Returns the findings of lint, or those of test if there are none. Files are relative to the folder. */
export function findingsOf(root: string): Finding[] {
  const checked = checkFolders({ folders: [root], detectors })
  const { rules, categories } = checked
  const findings = [...checked.findings, ...checkDates(checked, TODAY)]
  const read = rules.map((rule) => ({ rule, ...readFixtures(rule.found) }))
  const misses = read.flatMap(({ rule, fixtures }) => [
    ...checkMisses(rule.source, fixtures, checked.places),
    ...checkNetworks(rule),
  ])
  const linted = [...findings, ...checkAbout(rules), ...read.flatMap((one) => one.findings), ...misses]
  const compiled = rules.flatMap((rule) => rule.compiled ?? [])
  const ruleset = Ruleset.of({ rules: compiled, categories, version: '' }, detectors)
  const run = () =>
    read.flatMap(({ rule, fixtures }) => {
      const all = [...fixtures, ...deriveFixtures(rule, checked.places)]
      const results = all.map((fixture) => runFixture(fixture, ruleset))
      return [...results.flatMap((one) => one.findings), ...checkProof(rule, results, detectors)]
    })
  const all = linted.some(({ level }) => level === 'error') ? linted : [...linted, ...run()]
  return all.map((one) => ({ ...one, file: relative(root, resolve(one.file)) }))
}

/** Formats a finding as `file:line:column code`. */
export function placeOf({ file, line, column, code }: Finding): string {
  return `${file}:${line}:${column} ${code}`
}
