import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

// File of a report for scripts, in addition to what is printed. A Vitest that a test starts must not write it too.
const { TEST_REPORT: outputFile, GITHUB_ACTIONS } = process.env
delete process.env.TEST_REPORT

/** Files with time limits that the product promises. They measure on a machine that is also busy with everything else. */
const TIMED = ['store/guard', 'fetch/hostile', 'service/starvation'].map((name) => `/test/${name}.test.ts`)

/**
 * Starts with the files that take longest, so that no worker is left alone with one of them at the end, and ends with those that
 * measure times: few others run then.
 */
class SlowFirst extends BaseSequencer {
  override async sort(...[files]: Parameters<BaseSequencer['sort']>): ReturnType<BaseSequencer['sort']> {
    const isSlow = ({ moduleId }: (typeof files)[number]): boolean => /\/test\/(?:portal|service)\//.test(moduleId)
    const isTimed = ({ moduleId }: (typeof files)[number]): boolean => TIMED.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    const others = sorted.filter((file) => !isTimed(file))
    return [...others.filter(isSlow), ...others.filter((file) => !isSlow(file)), ...sorted.filter(isTimed)]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The files of a worker share their modules, because importing them for each file takes a quarter of the time of all tests.
    // Helpers therefore register cleanups for the current file with test/support/on-file-end.ts.
    isolate: false,
    setupFiles: [fileURLToPath(new URL('test/support/file-setup.ts', import.meta.url))],
    globalSetup: [fileURLToPath(new URL('test/support/global-setup.ts', import.meta.url))],
    // Many tests wait for timeouts of servers: on two cores five workers take less than half the time of Vitest's default, one.
    maxWorkers: Math.max(5, availableParallelism() - 1),
    // V8 would optimize many functions that the tests then hardly use: with its default a tenth of all processor time.
    execArgv: ['--interrupt-budget=1000000'],
    sequence: { sequencer: SlowFirst },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    ...(outputFile && {
      reporters: ['default', ...(GITHUB_ACTIONS ? ['github-actions'] : []), ['json', { outputFile }]],
    }),
  },
})
