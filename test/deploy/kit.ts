import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const root = projectFolder()

/** Returns the text of a file of the deployment kit; `file` is its path below `deploy/`. */
export const readKit = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8')

/** The path of a file of the deployment kit. */
export const kitPath = (...parts: string[]): string => join(root, 'deploy', ...parts)

/** Parses a file with one or more YAML documents, each of the type `Document`. @throws Error if the YAML is invalid */
export function readYaml<Document>(file: string): Document[] {
  return parseAllDocuments(readKit(file), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0].message}`)
    return document.toJS() as Document
  })
}

/** Creates a folder that is removed after the tests of this file. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-deploy-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Secrets of the kit, by the names of their files. */
const SECRETS: Readonly<Record<string, string>> = {
  'key-pepper': 'p'.repeat(44),
  'auth-secret': 'a'.repeat(44),
  'redis-url': 'redis://:password@redis:6379',
  'mongodb-url': 'mongodb://siteprint:password@mongodb:27017/siteprint?replicaSet=siteprint',
}

/**
 * Loads the configuration from settings of the kit. Values that begin with `mount` name files of secrets.
 * @throws Error if a name is not a setting, or a value is invalid
 */
export function loadKitConfig(settings: Readonly<Record<string, string>>, mount: string): Config {
  const names = Object.values(SETTINGS).flatMap(({ name, ...rest }) =>
    'isSecret' in rest ? [name, `${name}_FILE`] : [name],
  )
  const unknown = Object.keys(settings).filter((name) => name !== 'NODE_ENV' && !names.includes(name))
  if (unknown.length > 0) throw new Error(`not a setting: ${unknown.join(', ')}`)
  const folder = makeTemporaryFolder()
  for (const [name, secret] of Object.entries(SECRETS)) writeFileSync(join(folder, name), `${secret}\n`)
  const entries = Object.entries(settings).map(([name, value]) => [
    name,
    value.startsWith(mount) ? join(folder, value.slice(mount.length)) : value,
  ])
  return loadConfig(Object.fromEntries(entries))
}
