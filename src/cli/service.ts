import { resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { backupStore } from '../store/open/open-store.ts'
import type { Switches } from '../store/types.ts'
import { formatChoice } from '../yaml/hint.ts'
import { type CommandIo, defineCommand, EXIT, UsageError } from './command/command.ts'
import { recordAction } from './command/record-action.ts'
import { dispatchVerb, type Verb } from './command/verbs.ts'
import { withStore } from './command/with-store.ts'
import { showAudit } from './service/audit-log.ts'
import { makeBotKey } from './service/bot-key.ts'
import { checkService } from './service/check-service.ts'
import { showFailedBatches } from './service/failed-batches.ts'
import { purgeUrl } from './service/purge-url.ts'
import { changeRules } from './service/rules.ts'
import { exportStore, importStore } from './service/transfer-store.ts'

const HELP = `
Switches the service on and off, shows what was done to it, checks it, and copies its data. A switch takes effect on every node within 5 seconds.

  npm run -s service -- maintenance on|off|status
      While on, the API responds with 503 "maintenance".
  npm run -s service -- api on|off|status
      While off, the API responds with 503 "unavailable".
      Both print the state of the switches: {"maintenance": false, "api": true}
  npm run -s service -- audit [--since T] [--json]
      Lists what was done to keys, accounts, plans and switches, oldest first, as a table or as one JSON object per line.
      --since: 2026-01-31 (UTC), 2026-01-31T18:00Z, or a time before now such as 24h or 7d.
  npm run -s service -- batches [--retry <id>]
      Lists batches with URLs that failed three times for reasons of the service (code internal). --retry lets those of a batch be
      scanned again, which a server or worker begins within 15 seconds.
  npm run -s service -- check
      Checks settings, rules, stores and clocks with the environment of the server, before a start or a deployment. Prints one
      line per result. Like every command, it upgrades the tables of an earlier version.
  npm run -s service -- purge <url>
      Deletes the cached result of a URL from Redis, for all nodes with the same rules.
  npm run -s service -- rules status|update|rollback
      update fetches the rules of RULES_URL if they are newer, tries them on their conformance cases, and makes them the active ones.
      rollback returns to the rules before, or to the built-in ones. Running servers with the same DATA_DIR switch within 5 seconds.
      status prints which rules are in use.
  npm run -s service -- bot-key <file>
      Makes a key that signs the requests of scans (BOT_KEY_FILE), in a new file that only its owner can read. Prints its
      thumbprint, and what to do next.
  npm run -s service -- export <file>
      Writes keys, usage, accounts, scans and audit entries to a new file, to move them between the embedded store and
      MongoDB. Sessions, pending links and switches are not exported. No server may run.
  npm run -s service -- import <file>
      Reads such a file into a new DATA_DIR or an empty database. KEY_PEPPER must be that of the exported store.
  npm run -s service -- backup <folder>
      Copies the embedded store and its secrets. The copy is consistent while the server runs, and can be used as DATA_DIR.

Settings (environment): those of the server; DATA_DIR or MONGODB_URL, KEY_PEPPER and AUTH_SECRET; of rules RULES_URL,
RULES_PUBLIC_KEY and DATA_DIR.
Exit code: 0 success, 2 wrong usage or failure; of check: 0 no problem, 1 warnings, 2 a server would not start or respond.
`

/** The action of a verb. @returns the exit code */
type ServiceWork = () => Promise<number>
type SwitchState = 'on' | 'off' | 'status'
type SwitchChanges = Readonly<Record<SwitchState, Partial<Switches>>>

const VERBS: Readonly<Record<string, Verb<CommandIo, ServiceWork>>> = {
  maintenance: switchVerb('maintenance', { on: { maintenance: true }, off: { maintenance: false }, status: {} }),
  api: switchVerb('api', { on: { apiOff: false }, off: { apiOff: true }, status: {} }),
  audit: { args: [], options: { since: { type: 'string' }, json: { type: 'boolean' } }, prepare: showAudit },
  batches: { args: [], options: { retry: { type: 'string' } }, prepare: showFailedBatches },
  check: { args: [], options: {}, prepare: checkService },
  purge: { args: ['url'], options: {}, prepare: purgeUrl },
  rules: { args: ['status|update|rollback'], options: {}, prepare: changeRules },
  'bot-key': { args: ['file'], options: {}, prepare: makeBotKey },
  export: { args: ['file'], options: {}, prepare: exportStore },
  import: { args: ['file'], options: {}, prepare: importStore },
  backup: { args: ['folder'], options: {}, prepare: ({ args: [folder] }, io) => backupTo(folder, io) },
}

export const main = defineCommand(
  HELP,
  async (args, io) => {
    return await dispatchVerb(VERBS, args, io)()
  },
  Object.keys(VERBS),
)

function switchVerb(name: 'maintenance' | 'api', changes: SwitchChanges): Verb<CommandIo, ServiceWork> {
  return {
    args: ['on|off|status'],
    options: {},
    prepare: ({ args: [state] }, io) => {
      if (!Object.hasOwn(changes, state))
        throw new UsageError(`there is no state "${state}"${formatChoice(state, Object.keys(changes))}`)
      return () => setSwitches(io, { name, state: state as SwitchState, change: changes[state as SwitchState] })
    },
  }
}

interface SwitchChange {
  readonly name: 'maintenance' | 'api'
  readonly state: SwitchState
  readonly change: Partial<Switches>
}

async function setSwitches(io: CommandIo, { name, state, change }: SwitchChange): Promise<number> {
  const report = (sentence: string): void => void io.stderr.write(`${sentence}\n`)
  await withStore(loadConfig(io.env), io, async (opened) => {
    const { store } = opened
    if (state !== 'status') {
      await store.settings.setSwitches(change)
      await recordAction(opened, { command: `service ${name}`, action: `${name}_${state}` }, report)
    }
    const { maintenance, apiOff } = await store.settings.switches()
    io.stdout.write(`${JSON.stringify({ maintenance, api: !apiOff })}\n`)
  })
  return EXIT.ok
}

function backupTo(folder: string, { stderr, env }: CommandIo): ServiceWork {
  if (folder === '') throw new UsageError('backup takes <folder>: a new folder, or one without a store')
  return async () => {
    const config = loadConfig(env)
    const target = resolve(folder)
    await backupStore(config, target)
    const settings = [config.keyPepper !== null && 'KEY_PEPPER', config.authSecret !== null && 'AUTH_SECRET']
    const missing = settings.filter((name) => name !== false)
    const copied = missing.length === 0 ? 'and its secrets' : `without ${missing.join(' and ')}`
    stderr.write(`Copied the store ${copied} to ${target}.\n`)
    return EXIT.ok
  }
}
