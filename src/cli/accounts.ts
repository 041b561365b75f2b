import type { Writable } from 'node:stream'
import { pino } from 'pino'
import { AccountError } from '../accounts/accounts.ts'
import { findByAddress } from '../accounts/form-rules.ts'
import type { AccountOperator } from '../accounts/operator.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { findServiceUrl } from '../config/settings.ts'
import { SetupError } from '../errors.ts'
import { formatMonth } from '../keys/calendar.ts'
import type { Account, AccountSummary } from '../store/account-types.ts'
import type { OpenedStore } from '../store/open/open-store.ts'
import { loadAuthSecret } from '../store/open/open-store.ts'
import { formatAccounts } from './account-view.ts'
import { type CommandIo, defineCommand, EXIT, UsageError } from './command/command.ts'
import { requirePlan } from './command/key-input.ts'
import { recordAction } from './command/record-action.ts'
import { dispatchVerb, type Given, readTextOption, type Verb } from './command/verbs.ts'
import { allowStoreCreation, type StoreCreatingWork, withStore } from './command/with-store.ts'
import { verifyAccount } from './verify-account.ts'

const HELP = `
Manages the accounts of the portal. A change takes effect on every node within 5 seconds.

  npm run -s accounts -- invite [--days 7]
      Prints a link to sign up with, once, and nothing else, on standard output. For SIGNUP=invite.
  npm run -s accounts -- create <email> --name N [--plan P]
      Creates an account. Prints a link on which its owner chooses a password, once, and nothing else, on standard output.
  npm run -s accounts -- list [--json] [--search S]
      Lists accounts with their number of keys and their usage of the current month, as a table, or as one JSON object per
      line. --search: part of an e-mail address or name.
  npm run -s accounts -- verify <email> [--yes]
      Shows when and how an account was made, asks, marks its e-mail address as confirmed, and ends its sessions. Addresses in
      ADMIN_EMAILS have to be confirmed. --yes: do not ask.
  npm run -s accounts -- reset <email>
      Prints a link on which the owner chooses a new password, once, and nothing else, on standard output.
  npm run -s accounts -- set-plan <email> <plan>
      Changes the plan of an account and of its keys. The usage of the current month is kept.
  npm run -s accounts -- disable <email>
      Suspends an account: its sessions end, and its keys are rejected.
  npm run -s accounts -- enable <email>
      Lifts a suspension.
  npm run -s accounts -- delete <email> --yes
      Deletes an account and its personal data, and revokes its keys. Their usage is kept.

Links for a new password are valid for 7 days. They begin with PUBLIC_URL.
Settings (environment): those of the server; DATA_DIR or MONGODB_URL, KEY_PEPPER, AUTH_SECRET, PUBLIC_URL and PLANS_FILE.
Exit code: 0 success, 2 wrong usage or failure.
`

/** The action of a verb, which runs once the store is open. */
type AccountsWork = ((opened: OpenedAccounts) => Promise<void>) & StoreCreatingWork

interface OpenedAccounts extends OpenedStore {
  /** Opened on its first use: loading better-auth takes longer than most verbs. */
  readonly openOperator: () => Promise<AccountOperator>
}

interface AccountsContext {
  readonly config: Config
  readonly io: CommandIo
  readonly stdout: Writable
  /** Writes a sentence to stderr. */
  readonly report: (sentence: string) => void
}

const DAY_MS = 86_400_000
const MAX_INVITE_DAYS = 365
/** Number of accounts that `list` reads in one query. */
const PAGE_SIZE = 1000

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const VERBS: Readonly<Record<string, Verb<AccountsContext, AccountsWork>>> = {
  invite: { args: [], options: { days: text }, prepare: invite },
  create: { args: ['email'], options: { name: text, plan: text }, prepare: create },
  list: { args: [], options: { json: flag, search: text }, prepare: list },
  verify: { args: ['email'], options: { yes: flag }, prepare: verify },
  reset: { args: ['email'], options: {}, prepare: reset },
  'set-plan': { args: ['email', 'plan'], options: {}, prepare: setPlan },
  disable: { args: ['email'], options: {}, prepare: disable },
  enable: { args: ['email'], options: {}, prepare: enable },
  delete: { args: ['email'], options: { yes: flag }, prepare: remove },
}

export const main = defineCommand(
  HELP,
  async (args, io) => {
    const config = loadConfig(io.env)
    const report = (sentence: string): void => void io.stderr.write(`${sentence}\n`)
    const work = dispatchVerb(VERBS, args, { config, io, stdout: io.stdout, report })
    const open = (opened: OpenedStore) => () => openOperator(config, opened, io)
    await withStore(config, io, (opened) => work({ ...opened, openOperator: open(opened) }), work)
    return EXIT.ok
  },
  Object.keys(VERBS),
)

async function openOperator(config: Config, { store }: OpenedStore, { stderr }: CommandIo): Promise<AccountOperator> {
  const secret = loadAuthSecret(config)
  const { openOperator: open } = await import('../accounts/open.ts')
  return open({ store, secret, publicUrl: findServiceUrl(config), log: pino({ level: 'error' }, stderr) })
}

function invite(given: Given, { stdout, report }: AccountsContext): AccountsWork {
  const days = readDays(readTextOption(given, 'days') ?? '7')
  return allowStoreCreation(async ({ store, openOperator }: OpenedAccounts) => {
    const expiresAt = new Date(Date.now() + days * DAY_MS)
    const link = await (await openOperator()).invite(expiresAt)
    await recordAction({ store }, { command: 'accounts invite', action: 'invite_created' }, report)
    report(`Created an invitation, valid until ${expiresAt.toISOString()}. Its link works for one account.`)
    stdout.write(`${link}\n`)
  })
}

function readDays(days: string): number {
  if (/^\d{1,3}$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_INVITE_DAYS) return Number(days)
  throw new UsageError(`--days must be a number from 1 to ${MAX_INVITE_DAYS}`)
}

function create(given: Given, { config: { plans }, stdout, report }: AccountsContext): AccountsWork {
  const [email] = given.args
  const name = readTextOption(given, 'name') ?? ''
  const planName = readTextOption(given, 'plan')
  const plan = planName === undefined ? null : requirePlan(plans, planName)
  return allowStoreCreation(async ({ store, openOperator }: OpenedAccounts) => {
    const { account, link } = await explain(async () => (await openOperator()).create({ name, email }))
    await recordAction(
      { store },
      { command: 'accounts create', action: 'account_created', account: account.id },
      report,
    )
    if (plan !== null) await store.accounts.setAccountPlan(account.id, plan)
    report(`Created ${account.id}. Within 7 days, its owner can choose a password on the page below, once.`)
    stdout.write(`${link}\n`)
  })
}

function list({ values }: Given, { stdout, report }: AccountsContext): AccountsWork {
  const search = typeof values.search === 'string' ? values.search : ''
  return async ({ store }) => {
    const month = formatMonth(Date.now())
    const accounts: AccountSummary[] = []
    for (let total = 1; accounts.length < total; ) {
      const page = await store.accounts.listAccounts({ search, month, offset: accounts.length, limit: PAGE_SIZE })
      accounts.push(...page.accounts)
      total = page.accounts.length === 0 ? 0 : page.total
    }
    if (values.json) stdout.write(accounts.map((account) => `${JSON.stringify(account)}\n`).join(''))
    else if (accounts.length > 0) stdout.write(formatAccounts(accounts))
    else report(search === '' ? 'There are no accounts yet.' : 'No account matches.')
  }
}

function verify(given: Given, { config, io }: AccountsContext): AccountsWork {
  const isConfirmed = given.values.yes === true
  return withAccount(given, (account, opened) => verifyAccount(account, opened, { config, io, isConfirmed }))
}

function reset(given: Given, { stdout, report }: AccountsContext): AccountsWork {
  return withAccount(given, async (account, { store, openOperator }) => {
    const link = await (await openOperator()).reset(account)
    await recordAction({ store }, { command: 'accounts reset', action: 'reset_created', account: account.id }, report)
    report(`The owner of ${account.id} can choose a new password on the page below, once, within 7 days.`)
    stdout.write(`${link}\n`)
  })
}

function setPlan(given: Given, { config: { plans }, report }: AccountsContext): AccountsWork {
  const plan = requirePlan(plans, given.args[1])
  return withAccount(given, async ({ id }, { store }) => {
    await store.accounts.setAccountPlan(id, plan)
    await recordAction(
      { store },
      { command: 'accounts set-plan', action: 'plan_changed', account: id, detail: plan },
      report,
    )
    report(`${id} and its keys now have the plan ${plan}.`)
  })
}

function disable(given: Given, { report }: AccountsContext): AccountsWork {
  return withAccount(given, async ({ id, suspendedAt }, { store }) => {
    // Also runs if the account is already suspended: an interrupted suspension may have missed some keys.
    await store.accounts.suspendAccount(id, suspendedAt ?? new Date())
    await recordAction({ store }, { command: 'accounts disable', action: 'account_suspended', account: id }, report)
    report(`Suspended ${id}. Every node rejects its keys within 5 seconds.`)
  })
}

function enable(given: Given, { report }: AccountsContext): AccountsWork {
  return withAccount(given, async ({ id }, { store }) => {
    await store.accounts.suspendAccount(id, null)
    await recordAction({ store }, { command: 'accounts enable', action: 'account_resumed', account: id }, report)
    report(`${id} is no longer suspended. Its keys work within 5 seconds.`)
  })
}

function remove(given: Given, { report }: AccountsContext): AccountsWork {
  if (given.values.yes !== true)
    throw new UsageError('delete removes an account permanently and revokes its keys: confirm it with --yes')
  return withAccount(given, async ({ id }, { store }) => {
    await store.accounts.deleteAccount(id, new Date())
    await recordAction({ store }, { command: 'accounts delete', action: 'account_deleted', account: id }, report)
    report(`Deleted ${id}. Every node rejects its keys within 5 seconds.`)
  })
}

/** Finds the account of the verb's first argument. */
function withAccount(
  { args: [email] }: Given,
  work: (account: Account, opened: OpenedAccounts) => Promise<void>,
): AccountsWork {
  return async (opened) => {
    const account = await findByAddress(opened.store.accounts, email)
    if (account === null)
      throw new SetupError(`There is no account "${email}". Run "accounts list" to see all accounts.`)
    await work(account, opened)
  }
}

/** Turns an error that a person can correct into an error of the command. */
async function explain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AccountError)) throw error
    if (error.code === 'address_taken') throw new SetupError('There is already an account with this e-mail address.')
    throw new UsageError(
      error.code === 'invalid_name'
        ? '--name must have 1 to 100 characters, all on one line and some of them visible'
        : error.message,
    )
  }
}
