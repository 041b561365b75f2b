import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { readOwnRules } from '../support/real-cases.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import { buildTypeComparison, type Case, compare, type Engine, loadEngine } from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'
import { PLANTED_FAULTS, PLANTED_TYPE_FAULTS } from './support/planted-faults.ts'

const SEED = 20_261_120
const folder = join(projectFolder(), '.mutants', String(process.pid))
const cases: readonly Case[] = [
  ...handmadeCases.map(([, one]) => one),
  ...fc.sample(arbitraryCase, { seed: SEED, numRuns: 1500 }),
]

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const listDifferences = (engine: Engine): Iterable<string> => compare(engine, cases)

/** Compares site types on every third of their test pages. */
function* listTypeDifferences(engine: Engine): Generator<string> {
  const { rules, fixtures } = readOwnRules()
  const compareTypes = buildTypeComparison(
    engine,
    rules.filter(({ kind }) => kind === 'site-type'),
  )
  const pages = fixtures.filter(({ name }) => name.startsWith('site-type/'))
  for (const { input } of pages.filter((_, i) => i % 3 === 0)) yield* compareTypes(input, { settled: ['wordpress'] })
}

/** Path of each source file → its text. */
const sources = new Map(
  ['src', 'plugins']
    .flatMap((part) =>
      readdirSync(join(projectFolder(), part), { recursive: true, encoding: 'utf8' }).map((file) => join(part, file)),
    )
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(projectFolder(), file), 'utf8')]),
)
const importers = new Map<string, string[]>()
for (const [file, text] of sources)
  for (const [, path] of text.matchAll(/(?:\bfrom |\bimport\()'(\.[^']+)'/g)) {
    const imported = resolve('/', dirname(file), path).slice(1)
    importers.set(imported, [...(importers.get(imported) ?? []), file])
  }

/** Returns a file and all files that import it, directly or indirectly. */
function listDependents(file: string): Set<string> {
  const all = new Set([file])
  for (const one of all) for (const importer of importers.get(one) ?? []) all.add(importer)
  return all
}

/**
 * Copies the engine and replaces `find` in one of its files. Files that do not depend on it are links, which Vite resolves: copies of
 * them would be compiled and loaded again for each fault.
 */
function plant(n: number, file: string, find: string, replace: string): string {
  const root = join(folder, String(n))
  const copied = listDependents(file)
  const source = sources.get(file) ?? ''
  expect(source.split(find), `"${find}" occurs once in ${file}`).toHaveLength(2)
  for (const path of new Set([...sources.keys()].map((one) => dirname(one))))
    mkdirSync(join(root, path), { recursive: true })
  for (const [path, text] of sources)
    if (path === file)
      writeFileSync(
        join(root, path),
        source.replace(find, () => replace),
      )
    else if (copied.has(path)) writeFileSync(join(root, path), text)
    else symlinkSync(join(projectFolder(), path), join(root, path))
  return root
}

/** Finds the first difference. An engine that throws is different. */
async function findDifference(root: string, list = listDifferences): Promise<string | undefined> {
  const engine = await loadEngine(root)
  try {
    for (const difference of list(engine)) return difference
  } catch (error) {
    return String(error)
  }
  return undefined
}

describe('the comparison finds an error that is planted in the engine', () => {
  test('the engine without a planted error has no differences', async () => {
    expect(await findDifference(projectFolder())).toBeUndefined()
  })

  test.each(PLANTED_FAULTS.map((fault, n) => [fault[0], n, fault] as const))(
    '%s',
    async (_, n, [, file, find, replace]) => {
      expect(await findDifference(plant(n, file, find, replace))).toBeTypeOf('string')
    },
  )
})

describe('the comparison of site types finds an error that is planted in the engine', () => {
  test('the engine without a planted error has no differences', async () => {
    expect(await findDifference(projectFolder(), listTypeDifferences)).toBeUndefined()
  })

  test.each(PLANTED_TYPE_FAULTS.map((fault, n) => [fault[0], n, fault] as const))(
    '%s',
    async (_, n, [, file, find, replace]) => {
      const root = plant(PLANTED_FAULTS.length + n, file, find, replace)
      expect(await findDifference(root, listTypeDifferences)).toBeTypeOf('string')
    },
  )
})
