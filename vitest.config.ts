import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

// File of a report for scripts, in addition to what is printed. A Vitest that a test starts must not write it too.
const { TEST_REPORT: outputFile, GITHUB_ACTIONS } = process.env
delete process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('test/support/global-setup.ts', import.meta.url))],
    // Many tests wait for timeouts of servers: on two cores three workers take half the time of Vitest's default, one.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // The files of a worker share their modules: no module keeps state that a test depends on, and importing everything again
    // for each file takes a tenth of the time of all tests.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    ...(outputFile && {
      reporters: ['default', ...(GITHUB_ACTIONS ? ['github-actions'] : []), ['json', { outputFile }]],
    }),
  },
})
