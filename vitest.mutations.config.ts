import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// Slow checks: faults planted in the sources, which the tests must find, and the comparison of both engines on real pages.
// `npm run check` runs them, and `npm test` does not.
export default defineConfig({ ...base, test: { ...base.test, include: ['test/**/*.mutations.ts'], globalSetup: [] } })
