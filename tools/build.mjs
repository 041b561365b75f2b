// Makes dist/: the compiled sources and the plans beside them, then the built ruleset.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

const root = new URL('..', import.meta.url)
for (const part of ['src', 'plugins', 'tools', 'ruleset.json', 'conformance.json'])
  rmSync(new URL(`dist/${part}`, root), { recursive: true, force: true })
cpSync(new URL('src/keys/plans.yaml', root), new URL('dist/src/keys/plans.yaml', root))

/** The ruleset is made of our own rules: what an operator has set, right or wrong, does not count. */
const bare = { PATH: process.env.PATH }
for (const [env, command, ...args] of [
  [process.env, 'npx', '--no-install', 'tsc', '-p', 'tsconfig.build.json'],
  [bare, process.execPath, 'dist/src/cli/rules.js', 'build'],
]) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
