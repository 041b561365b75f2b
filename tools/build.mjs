// Builds dist/: copies the data files of the sources and the assets of the portal, and compiles the sources. Then, at the same time, it
// bundles the entries, and builds the ruleset and the catalogue of its rules. Last, it builds the package of the engine, and links the
// command for npx.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'

const root = new URL('..', import.meta.url)
for (const part of [
  'src',
  'rules',
  'plugins',
  'tools',
  'bundle',
  'engine',
  'types',
  'schemas',
  'ruleset.json',
  'ruleset.bin',
  'conformance.json',
  'catalogue.md',
])
  rmSync(new URL(`dist/${part}`, root), { recursive: true, force: true })
for (const path of [
  'src/keys/plans.yaml',
  'src/portal/assets',
  'src/report/assets',
  'src/networks/networks.bin',
  'rules/lifecycles.json',
  'src/rules/checks/code-words.txt',
  'src/rules/checks/window-names.txt',
  'src/authoring/common-words/page-words.txt',
])
  cpSync(new URL(path, root), new URL(`dist/${path}`, root), { recursive: true })

/** The built ruleset contains only the rules of this project, so the operator's settings must not influence it. */
const withoutSettings = { PATH: process.env.PATH }
const { execPath: node } = process

await run(process.env, 'npx', '--no-install', 'tsc', '-p', 'tsconfig.build.json')
// At the same time: the bundler only reads the compiled modules, until it replaces the entries, which have been read by then.
await Promise.all([
  run(withoutSettings, node, 'tools/bundle.mjs'),
  run(withoutSettings, node, 'dist/src/cli/run.js', 'rules', 'build').then(() =>
    run(withoutSettings, node, 'dist/tools/write-catalogue.js'),
  ),
])
await run(withoutSettings, node, 'tools/engine-package.mjs')
linkCommand()

/** Runs one step. Ends the build if it fails. */
async function run(env, command, ...args) {
  const [status] = await once(spawn(command, args, { cwd: root, stdio: 'inherit', env }), 'exit')
  if (status !== 0) process.exit(status ?? 1)
}

/**
 * Makes `npx siteprint` start the built command, as in a project that depends on the package. npm links only the commands of
 * dependencies: in a checkout npx would first build the project again, into its cache. A folder with linked modules is left alone, and so is
 * Windows, where a link needs privileges and npx takes its own way.
 */
function linkCommand() {
  const modules = lstatSync(new URL('node_modules', root), { throwIfNoEntry: false })
  if (process.platform === 'win32' || !modules?.isDirectory()) return
  const link = new URL('node_modules/.bin/siteprint', root)
  chmodSync(new URL('dist/bundle/siteprint.js', root), 0o755)
  mkdirSync(new URL('.', link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync('../../dist/bundle/siteprint.js', link)
}
