import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'

/** What a command came to. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where and how a command runs. */
interface RunOptions {
  /** The project's copy when absent. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Options of Node itself. */
  readonly node?: readonly string[]
}

/** A copy of the project, built from the sources as they are now. */
export interface BuiltProject {
  readonly folder: string
  /** Runs `npm run -s <command> -- <args>` without npm. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Outcome>
}

const made: string[] = []
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

/** Compiles the sources into a new folder, and makes the built ruleset there: tests of commands never meet an old build. */
export function buildProject(): BuiltProject {
  const root = projectFolder()
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'siteprint-project-'))
  made.push(folder)
  for (const part of ['package.json', 'rules', 'examples', 'tools/start.mjs'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  cpSync(join(root, 'src', 'plans.yaml'), join(folder, 'dist', 'src', 'plans.yaml'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const options = ['--outDir', join(folder, 'dist'), '--noCheck', '--declaration', 'false', '--sourceMap', 'false']
  must(
    spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', ...options], { cwd: root, encoding: 'utf8' }),
  )
  must(spawnSync(process.execPath, ['dist/src/cli/rules.js', 'build'], { cwd: folder, encoding: 'utf8', env: bare }))
  return { folder, run: (command, args, how = {}) => runCommand(folder, [command, ...args], how) }
}

/** The settings of whoever runs the tests are none of theirs. */
const bare = { PATH: '' }

function must({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): void {
  if (status !== 0) throw new Error(`the project could not be built:\n${stdout}${stderr}`)
}

function runCommand(
  folder: string,
  args: readonly string[],
  { cwd = folder, env = {}, node = [] }: RunOptions,
): Promise<Outcome> {
  const child = spawn(process.execPath, [...node, join(folder, 'tools', 'start.mjs'), ...args], {
    cwd,
    env: { ...bare, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...texts }))
  })
}
