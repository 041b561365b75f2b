import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { projectFolder } from '../../src/rules/built.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a copy of the project, compiled from the sources as they are now. */
    readonly builtProject: string
    /** Folder of a copy with only one rule, `wordpress`, which loads in a tenth of the time. */
    readonly smallProject: string
  }
}

/** Set for the processes below: a Vitest that a test starts uses the project that is already built. */
const FOLDER_VARIABLE = 'SITEPRINT_TEST_PROJECT'

/** Provides the compiled sources for all test files, built now unless `dist` is newer than every source and rule. */
export default function setup(project: TestProject): (() => void) | undefined {
  const existing = process.env[FOLDER_VARIABLE]
  const folder = existing ?? buildProjects()
  project.provide('builtProject', join(folder, 'built'))
  project.provide('smallProject', join(folder, 'small'))
  if (existing !== undefined) return undefined
  process.env[FOLDER_VARIABLE] = folder
  return () => {
    delete process.env[FOLDER_VARIABLE]
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the folder of both projects. */
function buildProjects(): string {
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'siteprint-project-'))
  const [built, small] = [join(parent, 'built'), join(parent, 'small')]
  copyOrBuildProject(built)
  cpSync(built, small, { recursive: true, verbatimSymlinks: true, filter: (path) => path !== join(built, 'rules') })
  for (const file of ['categories.yaml', 'builders/wordpress.yaml', 'builders/wordpress.test.yaml'])
    cpSync(join(built, 'rules', file), join(small, 'rules', file))
  // The small project does not contain the technologies that WordPress implies.
  const wordpress = join(small, 'rules', 'builders', 'wordpress.yaml')
  writeFileSync(wordpress, readFileSync(wordpress, 'utf8').replace(/^(?:implies|usual): .*\n/gm, ''))
  buildRules(small)
  return parent
}

/** Data that the sources read from their own folders, as in tools/build.mjs. */
const DATA = [
  'src/keys/plans.yaml',
  'src/portal/assets',
  'src/report/assets',
  'src/networks/networks.bin',
  'rules/lifecycles.json',
  'src/rules/checks/code-words.txt',
  'src/rules/checks/window-names.txt',
  'src/authoring/common-words/page-words.txt',
]

function copyOrBuildProject(folder: string): void {
  const root = projectFolder()
  for (const part of ['package.json', 'rules', 'examples', 'tools/start.mjs'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  for (const path of DATA) cpSync(join(root, path), join(folder, 'dist', path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  if (isBuilt(root)) {
    // Without declarations and source maps, two of three files: tests copy the project.
    const filter = (path: string): boolean => !/\.(?:d\.ts|map)$/.test(path)
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, filter })
    return
  }
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--outDir', join(folder, 'dist'), '--noCheck', '--declaration', 'false', '--sourceMap', 'false']
  const compile = [compiler, '-p', 'tsconfig.build.json', ...options]
  requireSuccess(spawnSync(process.execPath, compile, { cwd: root, encoding: 'utf8' }))
  buildRules(folder)
}

/** Whether `dist` was built after the last change of a source or rule, as after `npm ci`. */
function isBuilt(root: string): boolean {
  const main = join(root, 'dist', 'src', 'main.js')
  if (![main, join(root, 'dist', 'ruleset.bin')].every((file) => existsSync(file))) return false
  const files = ['src', 'plugins', 'tools', 'rules'].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).map((file) => join(root, part, file)),
  )
  const sources = [...files, join(root, 'tsconfig.json'), join(root, 'tsconfig.build.json'), join(root, 'package.json')]
  const compiledAt = statSync(main).mtimeMs
  return sources.every((source) => statSync(source).mtimeMs < compiledAt)
}

function buildRules(folder: string): void {
  // The settings of the person who runs the tests must not influence the build.
  const options = { cwd: folder, encoding: 'utf8', env: { PATH: '' } } as const
  requireSuccess(spawnSync(process.execPath, ['dist/src/cli/run.js', 'rules', 'build'], options))
}

function requireSuccess({ status, stdout, stderr }: SpawnSyncReturns<string>): void {
  if (status !== 0) throw new Error(`the project could not be built:\n${stdout}${stderr}`)
}
