import { type SpawnSyncOptions, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { onFileEnd } from './on-file-end.ts'

/** What `npm pack` reports of a package. */
export interface Packed {
  readonly name: string
  readonly version: string
  /** Size of the packed file in bytes. */
  readonly size: number
  readonly entryCount: number
  readonly files: readonly { readonly path: string }[]
  /** Path of the packed file. */
  readonly file: string
}

/** Environment of a program, and the user that it runs as. */
type ProgramOptions = Pick<SpawnSyncOptions, 'env' | 'uid' | 'gid'>

/** Runs a program and returns its output. Fails the test if it fails. */
export function runProgram(
  command: string,
  args: readonly string[],
  cwd: string,
  options: ProgramOptions = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  })
  expect({ command: [command, ...args].join(' '), status, stderr: status === 0 ? '' : stderr + stdout }).toMatchObject({
    status: 0,
    stderr: '',
  })
  return stdout
}

/** Makes an empty folder, whose path contains a space, for the tests of this file. */
export function makeFolder(name: string): string {
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'siteprint-packed-'))
  chmodSync(parent, 0o755) // Some tests run programs as another user.
  onFileEnd(() => rmSync(parent, { recursive: true, force: true }))
  const folder = join(parent, name)
  mkdirSync(folder)
  return folder
}

/**
 * Packs packages of the project as it is built.
 * @param packages their folders, relative to that of the project
 * @param target folder for the packed files
 */
export function packPackages(packages: readonly string[], target: string): Packed[] {
  return packages.map((name) => {
    const folder = join(projectFolder(), name)
    // The project was built before the tests; packing it would build it again.
    const scripts = name === '.' ? ['--ignore-scripts'] : []
    const [packed] = JSON.parse(runProgram('npm', ['pack', '--json', '--pack-destination', target, ...scripts], folder))
    return { ...packed, file: join(target, packed.filename) } as Packed
  })
}

/** Installs packed files into an empty folder, without running scripts of packages. @returns the folder */
export function installPacked(packed: readonly Packed[]): string {
  const folder = makeFolder('an empty folder')
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  runProgram('npm', ['install', ...quiet, ...packed.map(({ file }) => file)], folder)
  return folder
}
