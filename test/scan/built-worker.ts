import { join } from 'node:path'
import { buildProject } from '../support/built-project.ts'

/** Compiles the sources as they are now; the worker's file, for `openPool({ worker })`: threads run no TypeScript. */
export function buildWorker(): string {
  return join(buildProject().folder, 'dist', 'src', 'scan', 'match-worker.js')
}
