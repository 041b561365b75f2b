import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { findGenerators } from '../../tools/generators-folder.ts'
import { onFileEnd } from '../support/on-file-end.ts'

const script = join(projectFolder(), 'tools/generators.sh')
/** A python3 that creates an environment with a pip that does nothing. */
const PYTHON = 'case $2 in venv) mkdir -p "$3/bin"; ln -s /bin/true "$3/bin/python";; esac'
const OLD_PYTHON = 'case $2 in *version_info*) exit 1;; esac'
const NO_VENV = 'case $2 in *ensurepip*) exit 1;; esac'
/** An npm that fails at its first call. */
const FAILS_ONCE = 'if [ ! -e "$TRIED" ]; then echo x >"$TRIED"; exit 1; fi'

/** Runs `install` and then `folder` with these programs, in an empty cache. */
function install(programs: Readonly<Record<string, string>>, more: Record<string, string> = {}) {
  const work = mkdtempSync(join(tmpdir(), 'generators-'))
  onFileEnd(() => rmSync(work, { recursive: true }))
  const [bin, cache] = [join(work, 'bin'), join(work, 'cache')]
  mkdirSync(bin)
  for (const name of ['bash', 'cat', 'cksum', 'cp', 'cut', 'dirname', 'env', 'ln', 'mkdir', 'mv', 'rm', 'sh'])
    symlinkSync(`/usr/bin/${name}`, join(bin, name))
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const env = { PATH: bin, XDG_CACHE_HOME: cache, TRIED: join(work, 'tried'), ...more }
  const { status, stderr } = spawnSync('/bin/bash', [script, 'install'], { encoding: 'utf8', env })
  const found = spawnSync('/bin/bash', [script, 'folder'], { encoding: 'utf8', env })
  const [folder] = found.stdout.split('\n')
  const left = folder === '' ? [] : readdirSync(`${folder}`).sort()
  return { status, stderr, isInstalled: left.length > 0, left }
}

const FILES = ['package-lock.json', 'package.json', 'venv']

test.each<[string, Record<string, string>, boolean, RegExp]>([
  ['everything works', { python3: PYTHON, npm: '' }, true, /^generators: installing/],
  ['a registry fails once', { python3: PYTHON, npm: FAILS_ONCE }, true, /that failed; trying once more\n$/],
  ['a registry is away', { python3: PYTHON, npm: 'exit 1' }, false, /SKIPPED: the generators could not be installed/],
  ['there is no Python', { npm: '' }, false, /SKIPPED: python3 is missing/],
  ['there is no pip', { python3: NO_VENV, npm: '' }, false, /SKIPPED: python3 has no venv and pip/],
  ['Python is too old', { python3: OLD_PYTHON, npm: '' }, false, /SKIPPED: python3 is older than 3.11/],
])('install, if %s', (_, programs, isInstalled, message) => {
  const found = install(programs)
  expect(found).toEqual({
    status: 0,
    stderr: expect.stringMatching(message),
    isInstalled,
    left: isInstalled ? FILES : [],
  })
  if (!isInstalled) expect(install(programs, { REQUIRE_SERVICES: '1' }).status).toBe(1)
})

test('without the generators, suites are skipped loudly, or fail', () => {
  vi.stubEnv('XDG_CACHE_HOME', '/nowhere')
  vi.stubEnv('REQUIRE_SERVICES', '')
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(findGenerators('a suite')).toBeNull()
  expect(write.mock.calls).toEqual([['generators: SKIPPED: a suite: run tools/generators.sh install\n']])
  write.mockRestore()
  vi.stubEnv('REQUIRE_SERVICES', '1')
  expect(() => findGenerators('a suite')).toThrow('a suite: run tools/generators.sh install')
})
