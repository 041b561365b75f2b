import { join } from 'node:path'
import { builtProject } from '../support/built-project.ts'

/** Returns the compiled worker file for `openPool({ worker })`, because worker threads cannot run TypeScript. */
export function builtWorker(): string {
  return join(builtProject().folder, 'dist', 'src', 'scan', 'match-worker.js')
}
