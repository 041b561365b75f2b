import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SetupError } from './errors.ts'

/** What the environment sets. */
export interface Config {
  /** `RULES_DIRS`: rule folders beside our own, absolute. */
  readonly ruleFolders: readonly string[]
  /** `DETECTORS`: modules with further detectors: paths or package names. */
  readonly detectorModules: readonly string[]
}

/**
 * Reads the settings; the only place that looks at the environment.
 * @throws SetupError that names all bad settings at once
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const ruleFolders = listOf(env.RULES_DIRS).map((folder) => resolve(folder))
  const missing = ruleFolders.filter((folder) => !existsSync(folder) || !statSync(folder).isDirectory())
  if (missing.length > 0) throw new SetupError(`RULES_DIRS: no such folder: ${missing.join(', ')}`)
  return Object.freeze({ ruleFolders, detectorModules: listOf(env.DETECTORS) })
}

function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
