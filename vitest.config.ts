import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

// File of a report for scripts, in addition to what is printed. A Vitest that a test starts must not write it too.
const { TEST_REPORT: outputFile, GITHUB_ACTIONS } = process.env
delete process.env.TEST_REPORT

const SHARING = ['cli/formats', 'config', 'engine', 'keys', 'plugins', 'yaml'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
)

/** Starts with the files that take longest, so that no worker is left alone with one of them at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(...[files]: Parameters<BaseSequencer['sort']>): ReturnType<BaseSequencer['sort']> {
    const isSlow = ({ moduleId }: (typeof files)[number]): boolean => /\/test\/(?:portal|service)\//.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

export default defineConfig({
  test: {
    projects: [
      // The files of a worker share their modules, which takes a fifth of the time of importing them for each file. Other tests
      // use modules of test/support that register hooks for the file that imports them, or depend on their own timers.
      { extends: true, test: { name: 'shared modules', include: SHARING, isolate: false } },
      { extends: true, test: { name: 'own modules', include: ['test/**/*.test.ts'], exclude: SHARING } },
    ],
    globalSetup: [fileURLToPath(new URL('test/support/global-setup.ts', import.meta.url))],
    // Many tests wait for timeouts of servers: on two cores four workers take less than half the time of Vitest's default, one.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    ...(outputFile && {
      reporters: ['default', ...(GITHUB_ACTIONS ? ['github-actions'] : []), ['json', { outputFile }]],
    }),
  },
})
