import { defineConfig } from 'vitest/config'

// File for a report that a script can read, beside what is printed. A vitest that a test starts must not write it too.
const { TEST_REPORT: outputFile, GITHUB_ACTIONS } = process.env
delete process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    ...(outputFile && {
      reporters: ['default', ...(GITHUB_ACTIONS ? ['github-actions'] : []), ['json', { outputFile }]],
    }),
  },
})
