import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import { type Case, compare, loadEngine } from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'
import { PLANTED_FAULTS } from './support/planted-faults.ts'

const SEED = 20_261_120
const folder = join(projectFolder(), '.mutants', String(process.pid))
const cases: readonly Case[] = [
  ...handmadeCases.map(([, one]) => one),
  ...fc.sample(arbitraryCase, { seed: SEED, numRuns: 1500 }),
]

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Copies the engine and replaces `find` in one of its files. */
function plant(n: number, file: string, find: string, replace: string): string {
  const root = join(folder, String(n))
  mkdirSync(root, { recursive: true })
  for (const part of ['src', 'plugins']) cpSync(join(projectFolder(), part), join(root, part), { recursive: true })
  const source = readFileSync(join(root, file), 'utf8')
  expect(source.split(find), `"${find}" occurs once in ${file}`).toHaveLength(2)
  writeFileSync(
    join(root, file),
    source.replace(find, () => replace),
  )
  return root
}

/** Finds the first difference. An engine that throws is different. */
async function findDifference(root: string): Promise<string | undefined> {
  const engine = await loadEngine(root)
  try {
    for (const difference of compare(engine, cases)) return difference
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
