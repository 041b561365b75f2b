import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// Slow checks: faults planted in the sources, which the tests must find, the comparison of both engines on real pages, and
// operations on a service under load. `npm run check` runs them, and `npm test` does not.
export default defineConfig({ ...base, test: { ...base.test, include: ['test/**/*.{mutations,slow}.ts'] } })
