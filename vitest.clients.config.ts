import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

// Clients of the API: the one in Python, and those that common generators make of the documents. They need tools/generators.sh install.
// `npm run check` runs them, and `npm test` does not.
export default defineConfig({ ...base, test: { ...base.test, include: ['test/**/*.clients.ts'], globalSetup: [] } })
