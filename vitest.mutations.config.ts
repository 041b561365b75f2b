import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// Checks of the tests themselves: each plants a fault in the sources, which the tests must find. They take as long as many
// tests, so `npm run check` runs them and `npm test` does not.
export default defineConfig({ ...base, test: { ...base.test, include: ['test/**/*.mutations.ts'], globalSetup: [] } })
