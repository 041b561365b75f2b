// Process entry of the commands: `node dist/src/cli/run.js <command> [argument…]`.
import { formatChoice } from '../yaml/hint.ts'
import { EXIT, type Main } from './command.ts'
import { runMain } from './run-main.ts'

/** Each command is loaded only when it runs: `keys` needs no rules, `rules` needs no store. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly main: Main }>>> = {
  accounts: () => import('./accounts.ts'),
  keys: () => import('./keys.ts'),
  report: () => import('./report.ts'),
  rules: () => import('./rules.ts'),
  scan: () => import('./scan.ts'),
  service: () => import('./service.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
if (Object.hasOwn(COMMANDS, name)) {
  const { main } = await COMMANDS[name]()
  await runMain(main, args)
} else {
  process.stderr.write(`unknown command "${name}"${formatChoice(name, Object.keys(COMMANDS))}\n`)
  process.exitCode = EXIT.failed
}
