import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { createVitest, type Reporter, type TestSpecification, type Vitest } from 'vitest/node'

/** Query of modules that stay as they are, even if they contain the mutant. */
const ORIGINAL = '?original'
/** The comparison of both engines builds the page of the naive engine with the original code. */
const COMPARISON = /\/test\/engine\/support\/compare\.ts$/

/** Runs tests while some source files have another text. */
export interface TestRunner {
  readonly vitest: Vitest
  /** Test files by their path from the folder of the project. */
  readonly tests: ReadonlyMap<string, TestSpecification>
  /** Replaces the text of source files: absolute path → text. Files that are not named have their own text again. */
  plant(sources: ReadonlyMap<string, string>): void
}

interface RunnerOptions {
  readonly reporters: Reporter[]
  /** Files of the setup, in addition to those of the tests. */
  readonly setupFiles?: readonly string[]
  /** Whether each test file has a worker of its own. */
  readonly isolate?: boolean
  readonly maxWorkers?: number
  /** The number of failed tests after which a run ends. */
  readonly bail?: number
  readonly provide?: { readonly mutationHits: string }
}

/** Time limit of a test. It takes so many times longer as processes share a core. A mutant can make a test wait for ever. */
const LIMIT_MS = Math.ceil(15_000 * Math.max(1, loadavg()[0] / availableParallelism()))

class GivenOrder {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}

/** How the tests of mutants run: in one worker, and in the given order. */
const SETTINGS = {
  watch: false,
  maxWorkers: 1,
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  sequence: { sequencer: GivenOrder },
}

/** Opens Vitest with the tests of `npm test` on a copy of the project. */
export async function openTestRunner(
  root: string,
  { setupFiles = [], ...options }: RunnerOptions,
): Promise<TestRunner> {
  let planted: ReadonlyMap<string, string> = new Map()
  const plugin = {
    name: 'siteprint-mutation',
    enforce: 'pre' as const,
    resolveId(source: string, importer: string | undefined): string | undefined {
      if (importer === undefined || !source.startsWith('.')) return undefined
      const isOriginal = importer.endsWith(ORIGINAL) || (COMPARISON.test(importer) && source.includes('/src/'))
      return isOriginal ? join(importer, '..', source) + ORIGINAL : undefined
    },
    load(id: string): string | undefined {
      return planted.get(id)
    },
  }
  // The configuration reads this variable.
  process.env.TEST_PROJECT = 'unit'
  const vitest = await createVitest(
    'test',
    { config: join(root, 'vitest.config.ts'), root, ...SETTINGS, ...options },
    { plugins: [plugin], clearScreen: false },
  )
  for (const project of vitest.projects) project.config.setupFiles.push(...setupFiles)
  const specifications = await vitest.globTestSpecifications()
  return {
    vitest,
    tests: new Map(specifications.map((one) => [one.moduleId.slice(root.length + 1), one])),
    plant(sources) {
      for (const file of [...planted.keys(), ...sources.keys()]) vitest.invalidateFile(file)
      planted = sources
    },
  }
}
