import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { instrument, type Mutant } from './mutants.ts'
import { openTestRunner } from './open-vitest.ts'

/** For each mutant the test files that reach it. */
export type Coverage = ReadonlyMap<Mutant, ReadonlySet<string>>

/** Function that `test/support/record-reach.ts` defines. The global setup of Vitest runs without it. */
const NOTE = 'siteprintReach'

/**
 * Runs all tests once, and notes which mutants each test file reaches. Files share their modules as in `npm test`, so of several
 * files that need what the first one has computed and stored, only that one reaches it.
 * @throws Error if a test fails
 */
export async function recordCoverage(root: string, mutants: readonly Mutant[], workers: number): Promise<Coverage> {
  const hits = join(mkdtempSync(join(root, '..', 'hits-')), 'hits.jsonl')
  writeFileSync(hits, '')
  const failed: string[] = []
  const runner = await openTestRunner(root, {
    reporters: [{ onTestModuleEnd: (module) => void (module.ok() || failed.push(module.relativeModuleId)) }],
    setupFiles: [join(root, 'test', 'support', 'record-reach.ts')],
    maxWorkers: workers,
    provide: { mutationHits: hits },
  })
  const byFile = new Map<string, Mutant[]>()
  for (const mutant of mutants) byFile.set(mutant.file, [...(byFile.get(mutant.file) ?? []), mutant])
  runner.plant(new Map([...byFile].map(([file, own]) => [join(root, file), addNotes(root, file, own)])))
  const { unhandledErrors } = await runner.vitest.runTestSpecifications([...runner.tests.values()])
  await runner.vitest.close()
  if (failed.length + unhandledErrors.length > 0)
    throw new Error(`the tests fail without a mutant: ${[...failed, ...unhandledErrors.map(String)].join(', ')}`)
  return readCoverage(root, readFileSync(hits, 'utf8'), byFile)
}

function addNotes(root: string, file: string, mutants: readonly Mutant[]): string {
  const source = readFileSync(join(root, file), 'utf8')
  return instrument(source, mutants, (indexes) => `globalThis.${NOTE}?.('${file}',${indexes})`)
}

function readCoverage(root: string, hits: string, byFile: ReadonlyMap<string, readonly Mutant[]>): Coverage {
  const coverage = new Map([...byFile.values()].flat().map((mutant) => [mutant, new Set<string>()]))
  for (const line of hits.split('\n').filter(Boolean)) {
    const { test, file, indexes }: { test: string; file: string; indexes: number[] } = JSON.parse(line)
    for (const [i, mutant] of (byFile.get(file) ?? []).entries())
      if (indexes.includes(i)) coverage.get(mutant)?.add(test.slice(root.length + 1))
  }
  return coverage
}
