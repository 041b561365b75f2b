import type { Writable } from 'node:stream'
import type { Account } from '../accounts/types.ts'
import { loadConfig } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import { buildKey, buildSecret } from '../keys/key.ts'
import { findPlan, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { defineCommand, EXIT } from './command.ts'
import { readEmail, readName, readRevision, readSpan, requirePlan } from './key-input.ts'
import { formatKeys, maskSecret, viewKey } from './key-view.ts'
import { recordAction } from './record-action.ts'
import { dispatchVerb, type Given, textOption, type Verb } from './verbs.ts'
import { type OpenedStore, withStore } from './with-store.ts'

const HELP = `
Creates and manages API keys. A change takes effect on every node within 5 seconds.

  npm run -s keys -- create --name N --email E --plan P [--revision 1|2]
      Prints the new key, and nothing else, on standard output. It is shown once. --revision pins the key to a revision of
      the API; without it the key uses API_REVISION.
  npm run -s keys -- create --name N --account E [--revision 1|2]
      The same for the account with the e-mail address E, whose plan the key gets, whatever its number of keys.
  npm run -s keys -- attach <id> <email>
      Attaches a key to the account with this e-mail address. The key gets the plan of the account.
  npm run -s keys -- list [--json]
      Lists all keys as a table, or as one JSON object per line.
  npm run -s keys -- show <id>
      Prints one key with its usage of the current month, as JSON.
  npm run -s keys -- revoke <id>
      Revokes a key permanently.
  npm run -s keys -- rotate <id> [--overlap 24h]
      Prints a new secret, and nothing else, on standard output. It is shown once. The previous secrets expire after
      --overlap: 0, 90s, 15m, 24h, 7d; at most 365d.
  npm run -s keys -- set-plan <id> <plan>
      Changes the plan. The usage of the current month is kept. A key of an account has the plan of the account.

Settings (environment): those of the server; DATA_DIR or MONGODB_URL, KEY_PEPPER and PLANS_FILE.
Exit code: 0 success, 2 wrong usage or failure.
`

/** What a verb does once the store is open. */
type Work = (opened: OpenedStore) => Promise<void>

interface Context {
  readonly plans: ReadonlyMap<string, Plan>
  readonly stdout: Writable
  /** Writes a sentence to stderr. */
  readonly report: (sentence: string) => void
}

const text = { type: 'string' } as const
const VERBS: Readonly<Record<string, Verb<Context, Work>>> = {
  create: {
    args: [],
    options: { name: text, email: text, plan: text, revision: text, account: text },
    prepare: prepareCreate,
  },
  attach: { args: ['id', 'email'], options: {}, prepare: attach },
  list: { args: [], options: { json: { type: 'boolean' } }, prepare: list },
  show: { args: ['id'], options: {}, prepare: show },
  revoke: { args: ['id'], options: {}, prepare: revoke },
  rotate: { args: ['id'], options: { overlap: text }, prepare: rotate },
  'set-plan': { args: ['id', 'plan'], options: {}, prepare: setPlan },
}

export const main = defineCommand(HELP, async (args, io) => {
  const config = loadConfig(io.env)
  const report = (sentence: string): void => void io.stderr.write(`${sentence}\n`)
  await withStore(config, io, dispatchVerb(VERBS, args, { plans: config.plans, stdout: io.stdout, report }))
  return EXIT.ok
})

function prepareCreate(given: Given, context: Context): Work {
  return textOption(given, 'account') === undefined ? create(given, context) : createForAccount(given, context)
}

function create(given: Given, { plans, stdout, report }: Context): Work {
  const name = readName(textOption(given, 'name'))
  const email = readEmail(textOption(given, 'email'))
  const revision = readRevision(textOption(given, 'revision'))
  const plan = requirePlan(plans, textOption(given, 'plan'))
  return async ({ store, pepper }) => {
    const { key, secret } = buildKey({ name, email, plan, revision, now: new Date(), pepper })
    await store.keys.createKey(key)
    printCreated(key, secret, { stdout, report })
  }
}

function createForAccount(given: Given, { stdout, report }: Context): Work {
  const name = readName(textOption(given, 'name'))
  const revision = readRevision(textOption(given, 'revision'))
  const wantedPlan = textOption(given, 'plan')
  const wantedEmail = textOption(given, 'email')
  if (wantedEmail !== undefined) readEmail(wantedEmail)
  return async (opened) => {
    const { id: account, email, plan } = await requireAccount(opened, textOption(given, 'account') ?? '')
    if (wantedPlan !== undefined && wantedPlan !== plan)
      throw new SetupError(`The account ${email} has the plan ${plan}, which its keys get. Leave out --plan.`)
    const parts = { name, email: wantedEmail ?? email, plan, revision, account }
    const { key, secret } = buildKey({ ...parts, now: new Date(), pepper: opened.pepper })
    if (!(await opened.store.keys.createAccountKey(key, Number.MAX_SAFE_INTEGER))) throw changedAccountError(email)
    await recordAction(opened, { action: 'key_created', account, key: key.id }, report)
    printCreated(key, secret, { stdout, report })
  }
}

function printCreated({ id }: Key, secret: string, { stdout, report }: Pick<Context, 'stdout' | 'report'>): void {
  report(`Created ${id}. Its secret is shown once, below. Store it safely.`)
  stdout.write(`${secret}\n`)
}

function attach({ args: [id, email] }: Given, { report }: Context): Work {
  return async (opened) => {
    const key = await requireActiveKey(opened, id)
    if (key.account !== null) throw new SetupError(`The key ${id} already belongs to an account.`)
    const account = await requireAccount(opened, email)
    if (!(await opened.store.keys.attachKey(id, account.id))) throw changedAccountError(account.email)
    await recordAction(opened, { action: 'key_attached', account: account.id, key: id }, report)
    report(`${id} now belongs to the account ${account.email} and has its plan ${account.plan}.`)
  }
}

function list({ values }: Given, { stdout, report }: Context): Work {
  return async ({ store }) => {
    const views = []
    const nameAccount = buildAccountNamer(store)
    for (const key of await store.keys.listKeys())
      views.push(viewKey(key, { account: await nameAccount(key), lastUsedAt: await store.usage.lastUsed(key.id) }))
    if (values.json) stdout.write(views.map((view) => `${JSON.stringify(view)}\n`).join(''))
    else if (views.length > 0) stdout.write(formatKeys(views))
    else report('There are no keys yet.')
  }
}

function show({ args: [id] }: Given, { plans, stdout }: Context): Work {
  return async (opened) => {
    const { store } = opened
    const key = await requireKey(opened, id)
    const month = new Date().toISOString().slice(0, 7)
    const used = await store.usage.usedBy(id, month)
    const limit = findPlan(plans, key.plan).perMonth
    const charged = await store.usage.listDays([id], month)
    const days = charged.map(({ day, used: requests }) => ({ date: day, requests }))
    days.sort((a, b) => a.date.localeCompare(b.date))
    const usage = { month, used, limit, remaining: Math.max(limit - used, 0), days }
    const secrets = key.secrets.map((one) => ({ secret: maskSecret(one), expiresAt: one.expiresAt }))
    const account = await buildAccountNamer(store)(key)
    const { secret, ...view } = viewKey(key, { account, lastUsedAt: await store.usage.lastUsed(id) })
    stdout.write(`${JSON.stringify({ ...view, secrets, usage }, null, 2)}\n`)
  }
}

function revoke({ args: [id] }: Given, { report }: Context): Work {
  return async (opened) => {
    const { account, revokedAt } = await requireKey(opened, id)
    if (revokedAt !== null) return report(`${id} was already revoked at ${revokedAt.toISOString()}.`)
    await opened.store.keys.revokeKey(id, new Date())
    await recordAction(opened, { action: 'key_revoked', account, key: id }, report)
    report(`Revoked ${id}. Every node rejects it within 5 seconds.`)
  }
}

function rotate(given: Given, { stdout, report }: Context): Work {
  const [id] = given.args
  const overlapMs = readSpan(textOption(given, 'overlap') ?? '24h')
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    const { stored, secret } = buildSecret({ pepper: opened.pepper })
    const now = new Date()
    const oldEndAt = new Date(now.getTime() + overlapMs)
    if (!(await opened.store.keys.rotateKey(id, { secret: stored, oldEndAt, now }))) throw revokedError(id)
    await recordAction(opened, { action: 'key_rotated', account, key: id }, report)
    const until = oldEndAt.toISOString()
    report(`The new secret of ${id} is shown once, below. Store it safely. The previous one expires at ${until}.`)
    stdout.write(`${secret}\n`)
  }
}

function setPlan({ args: [id, name] }: Given, { plans, report }: Context): Work {
  const plan = requirePlan(plans, name)
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    if (account !== null)
      throw new SetupError(`The key ${id} belongs to an account, whose plan it has. Change the plan of the account.`)
    await opened.store.keys.setPlan(id, plan)
    await recordAction(opened, { action: 'plan_changed', key: id, detail: plan }, report)
    report(`${id} now has the plan ${plan}.`)
  }
}

async function requireKey({ store }: OpenedStore, id: string): Promise<Key> {
  const key = await store.keys.getKey(id)
  if (key === null) throw new SetupError(`There is no key "${id}". Run "keys list" to see all keys.`)
  return key
}

async function requireActiveKey(opened: OpenedStore, id: string): Promise<Key> {
  const key = await requireKey(opened, id)
  if (key.revokedAt !== null) throw revokedError(id)
  return key
}

async function requireAccount({ store }: OpenedStore, email: string): Promise<Account> {
  const account = await store.accounts.findAccount(email)
  if (account === null) throw new SetupError(`There is no account with the e-mail address "${email}".`)
  if (account.suspendedAt === null) return account
  throw new SetupError(`The account ${account.email} is suspended. Lift the suspension first.`)
}

function changedAccountError(email: string): SetupError {
  return new SetupError(`The account ${email} or the key has just been changed. Nothing was done. Try again.`)
}

/** Builds a function that names the account of a key: its e-mail address, or its id if it was deleted. */
function buildAccountNamer({ accounts }: OpenedStore['store']): (key: Key) => Promise<string | null> {
  const names = new Map<string, string>()
  return async ({ account }) => {
    if (account === null) return null
    const name = names.get(account) ?? (await accounts.getAccount(account))?.email ?? account
    names.set(account, name)
    return name
  }
}

function revokedError(id: string): SetupError {
  return new SetupError(`The key ${id} is revoked. Create another with "keys create".`)
}
