import { resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { backupStore } from '../store/open.ts'
import type { Switches } from '../store/types.ts'
import { EXIT, readArgs, runCommand, UsageError } from './command.ts'
import { withStore } from './with-store.ts'

const HELP = `
Switches the service, and copies its data. Switches hold on every node within 5 seconds.

  npm run -s service -- maintenance on|off|status
      While on, the API answers 503 "maintenance".
  npm run -s service -- api on|off|status
      While off, the API answers 503 "unavailable".
      Both print how the switches stand then: {"maintenance": false, "api": true}
  npm run -s service -- backup <folder>
      Copies the embedded store and its pepper, consistent while the server runs. The copy serves as a DATA_DIR.

Settings (environment): those of the server; DATA_DIR or MONGODB_URL, and KEY_PEPPER.
Exit code: 0 fine, 2 bad use or nothing could be done.
`

/** What a word of each switch changes. */
const SWITCHES: Readonly<Record<string, Readonly<Record<string, Partial<Switches>>>>> = {
  maintenance: { on: { maintenance: true }, off: { maintenance: false }, status: {} },
  api: { on: { apiOff: false }, off: { apiOff: true }, status: {} },
}

await runCommand(HELP, async (args) => {
  const { positionals } = readArgs({ args, allowPositionals: true, options: {} })
  const [verb, word, ...more] = positionals
  const isSwitch = Object.hasOwn(SWITCHES, verb ?? '')
  if (!isSwitch && verb !== 'backup')
    throw new UsageError(
      verb === undefined
        ? 'say what to do: maintenance, api or backup'
        : `"${verb}" is none of maintenance, api, backup`,
    )
  if (more.length > 0) throw new UsageError(`"${more[0]}" is too much`)
  if (!isSwitch) await backup(word)
  else if (Object.hasOwn(SWITCHES[verb], word ?? '')) await turn(SWITCHES[verb][word])
  else throw new UsageError(`${verb} takes on, off or status`)
  return EXIT.fine
})

async function turn(change: Partial<Switches>): Promise<void> {
  await withStore(loadConfig(), async ({ store }) => {
    if (Object.keys(change).length > 0) await store.settings.setSwitches(change)
    const { maintenance, apiOff } = await store.settings.switches()
    process.stdout.write(`${JSON.stringify({ maintenance, api: !apiOff })}\n`)
  })
}

async function backup(folder: string | undefined): Promise<void> {
  if (!folder) throw new UsageError('backup takes <folder>: a new one, or one without a store')
  const config = loadConfig()
  const target = resolve(folder)
  await backupStore(config, target)
  const pepper = config.keyPepper === null ? 'and its pepper are' : 'is, without the pepper of KEY_PEPPER,'
  process.stderr.write(`The store ${pepper} copied to ${target}\n`)
}
