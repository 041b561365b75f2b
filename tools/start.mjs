// Runs a built command; a checkout whose install did not build it (install scripts switched off) builds it first.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const [name, ...args] = process.argv.slice(2)
const command = new URL(`../dist/tools/${name}.js`, import.meta.url)
if (!existsSync(command)) {
  console.error('No build found: making it once.')
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(2)
}
process.argv.splice(1, 2 + args.length, command.pathname, ...args)
await import(command.href)
