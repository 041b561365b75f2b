import { describeCount } from '../../accounts/audit.ts'
import { loadConfig } from '../../config/config.ts'
import { AUDIT_ACTIONS, type AuditEntry } from '../../store/audit-types.ts'
import { type CommandIo, EXIT } from '../command/command.ts'
import { formatRows } from '../command/format-rows.ts'
import { readSince } from '../command/key-input.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { withStore } from '../command/with-store.ts'

const TITLES = ['TIME', 'ACTION', 'DETAIL', 'BY', 'MACHINE', 'ACCOUNT', 'KEY']

/** The verb `audit`: what was done to keys, accounts, plans and switches, oldest first. */
export function showAudit(given: Given, io: CommandIo): () => Promise<number> {
  const text = readTextOption(given, 'since')
  const since = text === undefined ? undefined : readSince('--since', text, Date.now())
  return async () => {
    await withStore(loadConfig(io.env), io, async ({ store }) => {
      const entries = (await store.audit.listAudit({ account: null, since })).toReversed()
      if (given.values.json) io.stdout.write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      else if (entries.length > 0) io.stdout.write(formatRows(TITLES, entries.map(listCells)))
      else io.stderr.write(since === undefined ? 'Nothing is recorded yet.\n' : 'Nothing is recorded in this time.\n')
    })
    return EXIT.ok
  }
}

function listCells(entry: AuditEntry) {
  const { at, action, detail, actor, command, machine, account, key } = entry
  return [
    at.toISOString(),
    AUDIT_ACTIONS[action] + describeCount(entry),
    detail,
    actor ?? command,
    machine,
    account,
    key,
  ]
}
