import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { measureDistances, sortByCloseness } from './find-tests.ts'
import { judgeMutants, type MutantVerdict } from './judge.ts'
import { drawMutants, listMutants, type Mutant } from './mutants.ts'
import { copyProject } from './project-copy.ts'
import { recordCoverage } from './record-coverage.ts'

/** Which mutants to judge, and how. */
export interface Measurement {
  /** Folder of the project. */
  readonly root: string
  readonly folders: readonly string[]
  readonly seed: number
  /** Number of mutants of each folder. */
  readonly sample: number
  /** Number of test files that may notice a mutant: those closest to its source file. */
  readonly tests: number
  /** Whether all tests run once without a mutant, to learn which test files reach each mutant. Otherwise, imports decide. */
  readonly recordsCoverage: boolean
  /** Number of processes. */
  readonly lanes: number
  /** Time limit of the tests of one mutant. */
  readonly timeoutMs: number
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Judges a sample of mutants on a copy of the project, and yields the verdicts as they come. */
export async function* measureMutants(measurement: Measurement): AsyncGenerator<MutantVerdict> {
  const root = copyProject(measurement.root)
  const clean = (): void => removeFolder(dirname(root))
  process.once('exit', clean)
  try {
    const mutants = measurement.folders.flatMap((folder) => drawFromFolder(root, folder, measurement))
    yield* judgeMutants(root, await chooseTests(root, mutants, measurement), measurement)
  } finally {
    process.off('exit', clean)
    clean()
  }
}

/** An error here would keep the process alive after a signal: a worker that is about to end may still write. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  } catch (error) {
    process.stderr.write(`${folder} could not be removed: ${String(error)}\n`)
  }
}

/** Code for servers that `npm test` does without. The system suite tests it. */
const FOR_SERVERS = /^src\/(?:store\/mongo|coordination\/redis)\//

function drawFromFolder(root: string, folder: string, { seed, sample }: Measurement): Mutant[] {
  const files = listFiles(root, folder, /(?<!\.d)\.ts$/).filter((file) => !FOR_SERVERS.test(file))
  const mutants = files.flatMap((file) => listMutants(file, readFileSync(join(root, file), 'utf8'), seed))
  return drawMutants(mutants, sample)
}

/** Test files that import the source file whose mutant they are to notice, besides those that reach it. */
const MIN_IMPORTING_TESTS = 2
/** Compares the engine with a naive one, and judges each of its mutants. */
const COMPARISON = { sources: /^(?:src\/engine|plugins)\//, test: 'test/engine/equivalence.test.ts' }

async function chooseTests(
  root: string,
  mutants: readonly Mutant[],
  { tests, recordsCoverage, lanes }: Measurement,
): Promise<ReadonlyMap<Mutant, readonly string[]>> {
  const all = listFiles(root, 'test', /\.test\.ts$/)
  const distances = measureDistances(all, (file) => {
    const path = join(root, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  })
  const coverage = recordsCoverage ? await recordCoverage(root, mutants, lanes) : null
  return new Map(
    mutants.map((mutant) => {
      const { file } = mutant
      const importing = sortByCloseness(
        all.filter((test) => distances.get(test)?.has(file)),
        file,
        distances,
      )
      const reaching = [...(coverage?.get(mutant) ?? importing)]
      // A mutant that no test reaches cannot be noticed. The closest tests also see results that others have computed and stored.
      const judges = [...importing.slice(0, MIN_IMPORTING_TESTS), ...importing.filter((one) => one === COMPARISON.test)]
      const chosen = reaching.length === 0 ? [] : [...reaching, ...judges]
      const closest = sortByCloseness(new Set(chosen), file, distances)
      if (!COMPARISON.sources.test(file) || !closest.includes(COMPARISON.test)) return [mutant, closest.slice(0, tests)]
      return [mutant, [...new Set([...closest.slice(0, tests - 1), COMPARISON.test])]]
    }),
  )
}

/** Lists the files below a folder whose name fits, as paths from the folder of the project. */
function listFiles(root: string, folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file))
    .sort()
}
