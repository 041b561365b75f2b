// Builds dist/: compiles the sources, copies the data files of the sources and the assets of the portal, then builds the ruleset.
import { spawnSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'

const root = new URL('..', import.meta.url)
for (const part of ['src', 'plugins', 'tools', 'schemas', 'ruleset.json', 'ruleset.state.json', 'conformance.json'])
  rmSync(new URL(`dist/${part}`, root), { recursive: true, force: true })
for (const path of [
  'src/keys/plans.yaml',
  'src/portal/assets',
  'src/report/assets',
  'src/rules/common-words/code-words.txt',
  'src/rules/common-words/page-words.txt',
])
  cpSync(new URL(path, root), new URL(`dist/${path}`, root), { recursive: true })

/** The built ruleset contains only the rules of this project, so the operator's settings must not influence it. */
const withoutSettings = { PATH: process.env.PATH }
for (const [env, command, ...args] of [
  [process.env, 'npx', '--no-install', 'tsc', '-p', 'tsconfig.build.json'],
  [withoutSettings, process.execPath, 'dist/src/cli/run.js', 'rules', 'build'],
]) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
