// Process entry of the commands: `node dist/src/cli/run.js <command> [argument…]`.
import { formatChoice } from '../yaml/hint.ts'
import { EXIT } from './command/command.ts'
import { runMain } from './command/run-main.ts'
import { COMMANDS } from './commands.ts'

const [name = '', ...args] = process.argv.slice(2)
if (Object.hasOwn(COMMANDS, name)) {
  const { main } = await COMMANDS[name]()
  await runMain(main, args)
} else {
  process.stderr.write(`unknown command "${name}"${formatChoice(name, Object.keys(COMMANDS))}\n`)
  process.exitCode = EXIT.failed
}
