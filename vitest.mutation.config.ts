// The tests of `npm test` as a single project, in one worker and in the given order.
import { availableParallelism, loadavg } from 'node:os'
import { defineConfig } from 'vitest/config'
import type { TestSpecification } from 'vitest/node'
import base from './vitest.config.ts'

const { projects = [], ...shared } = base.test ?? {}
const [unit] = projects.flatMap((project) =>
  typeof project === 'object' && 'test' in project && project.test?.name === 'unit' ? [project.test] : [],
)

class GivenOrder {
  sort(files: TestSpecification[]): TestSpecification[] {
    return files
  }

  shard(files: TestSpecification[]): TestSpecification[] {
    return files
  }
}

/** Time limit of a test. It takes so many times longer as processes share a core. */
const LIMIT_MS = Math.ceil(15_000 * Math.max(1, loadavg()[0] / availableParallelism()))

export default defineConfig({
  root: import.meta.dirname,
  test: {
    ...shared,
    ...unit,
    name: undefined,
    provide: { ...shared.provide, ...unit?.provide },
    maxWorkers: 1,
    // A mutant can make a test wait for ever.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    sequence: { sequencer: GivenOrder },
  },
})
