import { join } from 'node:path'
import { type BuiltProject, builtProject } from '../support/built-project.ts'

/** Returns the compiled worker file for `openPool({ worker })`, because worker threads cannot run TypeScript. */
export function builtWorker(project: BuiltProject = builtProject()): string {
  return join(project.folder, 'dist', 'src', 'scan', 'match-worker.js')
}
