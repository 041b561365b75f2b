// Vitest runs this file again for each test file, although files share all other modules.
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, inject, vi } from 'vitest'
import { endFile } from './on-file-end.ts'
import { countRuns } from './property-runs.ts'

// A command that a test has not awaited may have left the process in its folder.
process.chdir(fileURLToPath(new URL('../..', import.meta.url)))

// The seed decides all cases of a property test, so it passes or fails regardless of chance.
fc.configureGlobal({ seed: inject('properties').seed, numRuns: countRuns(100) })

afterAll(async () => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  await endFile()
})
