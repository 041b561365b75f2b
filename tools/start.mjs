// Runs a compiled module: `node tools/start.mjs <module below dist> [argument…]`. Builds first if nothing is built yet,
// as after an install without scripts.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const [name, ...args] = process.argv.slice(2)
const module = new URL(`../dist/${name}.js`, import.meta.url)
if (!existsSync(module)) {
  console.error('The project is not built yet. Building it once.')
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(2)
}
process.argv.splice(1, 2 + args.length, module.pathname, ...args)
await import(module.href)
