import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BuiltProject } from '../support/built-project.ts'
import { NODE_ARGS } from '../support/node-args.ts'
import { onFileEnd } from '../support/on-file-end.ts'

/** A service running in its own process. */
export interface RunningService {
  /** The URL it listens on, without a trailing slash. */
  readonly url: string
  readonly child: ChildProcess
  /** The printed key; empty if none was printed. */
  readonly key: string
  /** Its output so far. */
  readonly printed: { readonly stdout: string; readonly stderr: string }
  /** Resolves with its exit code, or the name of the signal that ended it, after all output was read. */
  readonly ended: Promise<number | NodeJS.Signals>
}

export type Settings = Readonly<Record<string, string>>

/** Creates a folder that is removed after the tests of this file. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-service-'))
  onFileEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file of plans for PLANS_FILE. */
export function writePlans(
  plans: Readonly<Record<string, readonly [perMinute: number, perMonth: number, keys?: number]>>,
): string {
  const file = join(makeFolder(), 'plans.yaml')
  const lines = Object.entries({ free: [10, 100], ...plans }).map(
    ([name, [perMinute, perMonth, keys = 1]]) =>
      `${name}: { perMinute: ${perMinute}, perMonth: ${perMonth}, keys: ${keys} }\n`,
  )
  writeFileSync(file, lines.join(''))
  return file
}

/** Starts the service on a free port and waits until it listens. @throws Error with its output if it exits first */
export async function startService(project: BuiltProject, settings: Settings): Promise<RunningService> {
  const service = spawnService(process.execPath, [...NODE_ARGS, 'tools/start.mjs', 'src/main'], { project, settings })
  return await service.listening
}

interface Spawning {
  readonly project: BuiltProject
  readonly settings: Settings
  /** Whether it runs without the terminal that the tests may have been started in, like a service. */
  readonly detached?: boolean
}

/** Runs a program that starts the service. It is killed after the tests of this file. */
export function spawnService(
  program: string,
  args: readonly string[],
  { project, settings, detached = false }: Spawning,
): { readonly child: ChildProcess; readonly listening: Promise<RunningService> } {
  // Tests of the portal turn it on. Loading it takes a third of the start time.
  const env = { PATH: '', HOST: '127.0.0.1', PORT: '0', PORTAL: 'off', ...settings }
  const child = spawn(program, args, { cwd: project.folder, env, detached, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? (signal as NodeJS.Signals))),
  )
  onFileEnd(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const listening = new Promise<RunningService>((resolve, reject) => {
    child.once('error', reject)
    child.stdout.on('data', () => {
      const url = /listens on (http:\S+) /.exec(printed.stdout)?.[1]
      const key = /\bspk_live_\w+/.exec(printed.stdout)?.[0] ?? ''
      if (url !== undefined) resolve({ url, child, key, printed, ended })
    })
    void ended.then((code) => reject(new Error(`the service ended with ${code}:\n${printed.stdout}${printed.stderr}`)))
  })
  return { child, listening }
}
