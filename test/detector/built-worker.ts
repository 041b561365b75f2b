import { join } from 'node:path'
import { loadDetectors } from '../../plugins/load.ts'
import { FOUND } from '../../src/engine/rule/clause.ts'
import type { LoadOptions, Ruleset } from '../../src/index.ts'
import { openRuleset } from '../../src/rules/load/open-ruleset.ts'
import { CLAUSE_KEYS } from '../../src/rules/schema.ts'
import { type BuiltProject, builtProject, smallProject } from '../support/built-project.ts'

/** Returns the compiled worker file for `openPool({ worker })`, because worker threads cannot run TypeScript. */
export function builtWorker(project: BuiltProject = builtProject()): string {
  return join(project.folder, 'dist', 'src', 'detector', 'match-worker.js')
}

/** Loads on this thread what a worker of the project with few rules loads: `loadRuleset` with other rules of its own. */
export async function loadSmallRuleset({ folders = [], detectors = [] }: LoadOptions = {}): Promise<Ruleset> {
  return openRuleset({
    own: join(smallProject().folder, 'rules'),
    folders,
    detectors: await loadDetectors(detectors, [...CLAUSE_KEYS, FOUND.key]),
  })
}
