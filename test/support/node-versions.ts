import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { skipSuite } from './report-skipped.ts'

/** Versions of Node that the packages are tried with, by their major version, besides the one that runs the tests. */
const VERSIONS: Readonly<Record<number, string>> = { 20: '20.19.0', 22: '22.23.3', 24: '24.9.0' }

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'siteprint-node')

/**
 * Finds Node of a major version: the one that runs the tests, or that of the npm package of its binary, which is fetched once.
 * @returns null if it cannot be fetched here
 */
export function findNode(major: number): string | null {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const file = join(cache, VERSIONS[major], 'node')
  if (existsSync(file) || fetchNode(VERSIONS[major], file)) return file
  skipSuite(`the packages with Node ${major}`, {
    what: `Node ${VERSIONS[major]}`,
    todo: `allow npm to fetch node-${process.platform}-${process.arch}, or write it to ${file}`,
  })
  return null
}

/** Takes only the binary out of the package, whose headers and manuals are as large. */
function fetchNode(version: string, file: string): boolean {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'new-'))
  try {
    const name = `node-${process.platform}-${process.arch}`
    const run = (command: string, args: readonly string[]) =>
      spawnSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const packed = run('npm', ['pack', '--silent', '--ignore-scripts', `${name}@${version}`])
    const unpack = ['-xzf', packed.stdout.trim(), '--strip-components=2', 'package/bin/node']
    if (packed.status !== 0 || run('tar', unpack).status !== 0) return false
    mkdirSync(join(cache, version), { recursive: true })
    renameSync(join(folder, 'node'), file)
    return true
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
