import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { inject } from 'vitest'
import type { Main } from '../../src/cli/command/command.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { NODE_ARGS } from './node-args.ts'
import { onFileEnd } from './on-file-end.ts'

/** Result of a command. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  /** Working folder; that of the project when absent. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Text of standard input, which is empty when absent. */
  readonly input?: string
}

interface SpawnOptions extends RunOptions {
  /** Options of Node itself. */
  readonly node?: readonly string[]
}

/** The project, compiled from the sources as they are now. */
export interface BuiltProject {
  readonly folder: string
  /** Runs a command in this process: `npm run -s <command> -- <args>` without the cost of a process. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Outcome>
  /** Runs a command in its own process. */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): Promise<Outcome>
  /**
   * Runs the server in its own process until it exits; without the portal, whose import takes a third of the start
   * time.
   */
  spawnServer(options: RunOptions): Promise<Outcome>
}

/** Returns the project that `global-setup.ts` has compiled. All test files share it: do not write to it. */
export function builtProject(): BuiltProject {
  return projectIn(inject('builtProject'))
}

/** Returns the project with only the rule `wordpress`, for tests that load rules often and do not depend on them. */
export function smallProject(): BuiltProject {
  return projectIn(inject('smallProject'))
}

/** Copies a project, for a test that changes it. */
export function copyProject({ folder: source } = builtProject()): BuiltProject {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'siteprint-copy-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(source, folder, { recursive: true, verbatimSymlinks: true })
  return projectIn(folder)
}

function projectIn(folder: string): BuiltProject {
  return {
    folder,
    run: (command, args, options = {}) => runInProcess(folder, [command, ...args], options),
    spawn: (command, args, options = {}) => spawnModule(folder, ['src/cli/run', command, ...args], options),
    spawnServer: ({ env, ...options }) =>
      spawnModule(folder, ['src/main'], { ...options, env: { PORTAL: 'off', ...env } }),
  }
}

class TextSink extends Writable {
  text = ''
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const require = createRequire(import.meta.url)

/** Loads the compiled command with Node, not with Vitest, because only there does a command find its compiled workers. */
async function runInProcess(
  folder: string,
  [command, ...args]: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const { main } = require(join(folder, 'dist', 'src', 'cli', `${command}.js`)) as { readonly main: Main }
  const stdin = Readable.from([Buffer.from(options.input ?? '')])
  const io = {
    env: { CACHE_DIR: join(folder, 'cache'), ...options.env },
    stdin,
    stdout: new TextSink(),
    stderr: new TextSink(),
  }
  process.chdir(options.cwd ?? folder)
  try {
    const code = await main([...args], io)
    return { code, stdout: io.stdout.text, stderr: io.stderr.text }
  } finally {
    // Not to the previous folder: a command that a failed test did not await may have left the process there.
    process.chdir(projectFolder())
  }
}

function spawnModule(
  folder: string,
  args: readonly string[],
  { cwd = folder, env = {}, node = [], input = '' }: SpawnOptions,
): Promise<Outcome> {
  const child = spawn(process.execPath, [...NODE_ARGS, ...node, join(folder, 'tools', 'start.mjs'), ...args], {
    cwd,
    env: { PATH: '', CACHE_DIR: join(folder, 'cache'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {}).end(input) // A command that does not read it may have ended.
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...texts }))
  })
}
