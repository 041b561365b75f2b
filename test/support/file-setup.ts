// Vitest runs this file again for each test file, although files share all other modules.
import { fileURLToPath } from 'node:url'
import { afterAll, vi } from 'vitest'
import { endFile } from './on-file-end.ts'

// A command that a test has not awaited may have left the process in its folder.
process.chdir(fileURLToPath(new URL('../..', import.meta.url)))

afterAll(async () => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  await endFile()
})
