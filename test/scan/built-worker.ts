import { join } from 'node:path'
import { buildProject } from '../support/built-project.ts'

/** Compiles the current sources. @returns the file for `openPool({ worker })`, because threads cannot run TypeScript */
export function buildWorker(): string {
  return join(buildProject().folder, 'dist', 'src', 'scan', 'match-worker.js')
}
