// Vitest runs this file again for each test file, although files share all other modules.
import { afterAll, vi } from 'vitest'
import { endFile } from './on-file-end.ts'

afterAll(async () => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  await endFile()
})
