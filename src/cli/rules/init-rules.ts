import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { buildEditorSchemas } from '../../authoring/editor-schemas.ts'
import { FOUND } from '../../engine/rule/clause.ts'
import { projectFolder } from '../../rules/built.ts'
import { checkFolders } from '../../rules/load/load.ts'
import { type CommandIo, EXIT, nameProgram, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { buildReadme, buildRule, buildWorkflow, EDITOR_SETTINGS, LOCAL_SCHEMAS, RULE_TEST } from './init-files.ts'
import { addFolders } from './named-rules.ts'
import { LOCAL_FOLDER, type LoadedRules, type RuleWork } from './rule-work.ts'

/** Path below the folder → content. */
type NewFiles = Readonly<Record<string, string>>

/** Makes a folder of rules in any repository: an example with its test, schemas for editors and a workflow. Never overwrites. */
export function initRules(given: Given, { stdout, stderr, program }: CommandIo): RuleWork {
  const folder = given.args[0] ?? '.'
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new UsageError(`"${folder}" is a file: name a folder, which may be missing`)
  const action = readAction(readTextOption(given, 'action'))
  return (loaded) => {
    const files = buildFiles(folder, action, loaded)
    const written = Object.entries(files).filter(([name, content]) => writeNew(join(folder, name), content))
    for (const [name] of written) stdout.write(`${relative('.', join(folder, name))}\n`)
    const kept = Object.keys(files).length - written.length
    const counts = [`${formatCount(written.length, 'file')} written`]
    if (kept > 0) counts.push(`${formatCount(kept, 'file')} kept, because ${kept === 1 ? 'it exists' : 'they exist'}`)
    stderr.write(`${counts.join(', ')}\n`)
    if (action === null)
      stderr.write(
        'No workflow was written, because this copy of Siteprint does not name its repository: run init again with --action OWNER/NAME@REF.\n',
      )
    const next = 'check them with npm run -s rules -- lint rules, and npm run -s rules -- test rules'
    stderr.write(`In ${folder}, ${nameProgram(next, program)}\n`)
    return EXIT.ok
  }
}

function buildFiles(folder: string, action: string | null, { folders, detectors }: LoadedRules): NewFiles {
  const today = new Date().toISOString().slice(0, 10)
  const local = join(folder, LOCAL_FOLDER)
  const checked = checkFolders({ folders: existsSync(local) ? addFolders(folders, [local]) : folders, detectors })
  const lists = { categories: checked.categories, rules: checked.rules.map(({ found }) => found) }
  const renewal = `delete ${LOCAL_SCHEMAS} and run: siteprint rules init`
  const schemas = Object.entries(buildEditorSchemas([...detectors, FOUND], lists, renewal))
  // A folder with rules of its own needs no example.
  const isNew = checked.rules.every(({ found }) => !resolve(found.file).startsWith(resolve(local)))
  return {
    ...(isNew && {
      [`${LOCAL_FOLDER}/builders/pagekiln.yaml`]: buildRule(today),
      [`${LOCAL_FOLDER}/builders/pagekiln.test.yaml`]: RULE_TEST,
    }),
    [`${LOCAL_FOLDER}/README.md`]: buildReadme(readManifest().version),
    '.vscode/settings.json': EDITOR_SETTINGS,
    ...(action !== null && { '.github/workflows/rules.yml': buildWorkflow(action) }),
    ...Object.fromEntries(
      schemas.map(([name, schema]) => [`${LOCAL_SCHEMAS}/${name}`, `${JSON.stringify(schema, null, 2)}\n`]),
    ),
  }
}

/** Writes a file that does not exist yet. Returns whether it did. @throws the errors of `fs` */
function writeNew(file: string, content: string): boolean {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, content, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

interface PackageManifest {
  readonly version: string
  readonly repository?: { readonly url?: string } | string
}

function readManifest(): PackageManifest {
  return JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8')) as PackageManifest
}

const ACTION = /^[\w.-]+\/[\w.-]+(?:@[\w./-]+)?$/

/**
 * Reads the repository whose action the workflow uses, and its tag: by default those of this package. null if the package, as before
 * its release, does not name its repository.
 * @throws UsageError
 */
function readAction(option: string | undefined): string | null {
  const { version, repository } = readManifest()
  const url = typeof repository === 'string' ? repository : repository?.url
  const [, own] = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url ?? '') ?? []
  const name = option ?? own
  if (name === undefined) return null
  if (!ACTION.test(name)) throw new UsageError(`--action must be OWNER/NAME or OWNER/NAME@REF, not "${name}"`)
  const [path, ref = `v${version}`] = name.split('@')
  return `${path}/.github/actions/rules@${ref}`
}
