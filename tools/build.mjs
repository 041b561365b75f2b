// Makes dist/: the compiled sources, then the built ruleset.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'

const root = new URL('..', import.meta.url)
for (const part of ['src', 'plugins', 'tools', 'ruleset.json', 'conformance.json'])
  rmSync(new URL(`dist/${part}`, root), { recursive: true, force: true })
for (const [command, ...args] of [
  ['npx', '--no-install', 'tsc', '-p', 'tsconfig.build.json'],
  [process.execPath, 'dist/tools/rules.js', 'build'],
]) {
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, RULES_DIRS: '', DETECTORS: '' },
  })
  if (status !== 0) process.exit(status ?? 1)
}
