import { loadConfig } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import { formatMonth } from '../keys/calendar.ts'
import { buildKey } from '../keys/key.ts'
import { findLastUse } from '../keys/last-use.ts'
import { findLimits } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import type { OpenedStore } from '../store/open/open-store.ts'
import type { MonthUsage } from '../store/types.ts'
import { defineCommand, EXIT } from './command/command.ts'
import { readEmail, readExpiry, readName, readRevision, requirePlan } from './command/key-input.ts'
import { recordAction } from './command/record-action.ts'
import { dispatchVerb, type Given, readTextOption, type Verb } from './command/verbs.ts'
import { allowStoreCreation, withStore } from './command/with-store.ts'
import { acceptSecret } from './keys/find-by-secret.ts'
import { KEY_CHANGES } from './keys/key-changes.ts'
import { showUsage } from './keys/key-usage.ts'
import { formatKeys, type KeyView, maskSecret, viewKey } from './keys/key-view.ts'
import {
  buildAccountNamer,
  buildSlotFinder,
  type KeyContext,
  type KeyWork,
  requireAccount,
  requireActiveKey,
  requireKey,
} from './keys/key-work.ts'
import type { PepperState } from './keys/pepper-state.ts'
import { reportUnknownPlans } from './keys/plan-notes.ts'

const HELP = `
Creates and manages API keys. A change takes effect on every node within 5 seconds.

  npm run -s keys -- create --name N --email E --plan P [--revision 1|2] [--expires T]
      Prints the new key, and nothing else, on standard output. It is shown once. --revision pins the key to a revision of
      the API; without it the key uses API_REVISION. --expires: see set-expiry; without it the key does not expire.
  npm run -s keys -- create --name N --account E [--revision 1|2] [--expires T]
      Creates a key of the account with the e-mail address E, with the plan of the account, even beyond its number of keys. The key
      takes the lowest free slot of the account and continues its counts.
  npm run -s keys -- attach <id> <email>
      Attaches a key to the account with this e-mail address. The key gets the plan of the account, and an unused slot, so that it
      keeps its counts.
  npm run -s keys -- list [--json]
      Lists all keys with their usage of the current month, as a table, or as one JSON object per line. The usage of a key of an
      account is that of its slot.
  npm run -s keys -- usage [--month YYYY-MM] [--json|--csv]
      Lists the usage in a month, by default the current one: as a table, as one JSON object per line, or as CSV. There is a row
      for each key without an account, and for each slot of an account, with the last key in it. Plans and limits are the current
      ones. A deleted key is listed by its id alone.
  npm run -s keys -- show <id>
      Prints one key with its usage of the current month, as JSON.
  npm run -s keys -- revoke <id>
      Revokes a key permanently.
  npm run -s keys -- rotate <id> [--overlap 24h]
      Prints a new secret, and nothing else, on standard output. It is shown once. The previous secrets expire after
      --overlap: 0, 90s, 15m, 24h, 7d; at most 365d.
  npm run -s keys -- delete <id> --yes
      Deletes a key with its name and e-mail address. Its usage is kept: under its id, or in its slot if it belongs to an account.
  npm run -s keys -- set-plan <id> <plan>
      Changes the plan. The usage of the current month is kept. A key of an account has the plan of the account.
  npm run -s keys -- set-limits <id> [--per-minute N|plan] [--per-month N|plan]
      Gives a key limits of its own, requests per minute and charged scans per month, or those of its plan again. Its own
      limits stay when its plan changes.
  npm run -s keys -- set-expiry <id> <time>
      Rejects the key from a time on: 2027-01-31 (the beginning of that day, UTC), 2027-01-31T18:00Z, or 90d (from now on).
      "never" removes the expiry.
  npm run -s keys -- set-name <id> <name>
  npm run -s keys -- set-email <id> <email>
      Changes the name or the e-mail address of the holder.

Every <id> may also be a secret of the key, for example one that has leaked, or - to read the id or the secret from standard input,
which keeps a secret out of the history of the shell: npm run -s keys -- revoke - < secret.txt. Secrets are never printed again.

Settings (environment): those of the server; DATA_DIR or MONGODB_URL, KEY_PEPPER and PLANS_FILE.
Exit code: 0 success, 2 wrong usage or failure.
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const VERBS: Readonly<Record<string, Verb<KeyContext, KeyWork>>> = {
  create: {
    args: [],
    options: { name: text, email: text, plan: text, revision: text, account: text, expires: text },
    prepare: prepareCreate,
  },
  attach: { args: ['id', 'email'], options: {}, prepare: attach },
  list: { args: [], options: { json: flag }, prepare: list },
  show: { args: ['id'], options: {}, prepare: show },
  usage: { args: [], options: { month: text, json: flag, csv: flag }, prepare: showUsage },
  ...KEY_CHANGES,
}

export const main = defineCommand(
  HELP,
  async (args, io) => {
    const config = loadConfig(io.env)
    const report = (sentence: string): void => void io.stderr.write(`${sentence}\n`)
    const verbs = Object.fromEntries(Object.entries(VERBS).map(([name, verb]) => [name, acceptSecret(verb, io)]))
    const work = dispatchVerb(verbs, args, { plans: config.plans, stdout: io.stdout, report })
    await withStore(config, io, work, work)
    return EXIT.ok
  },
  Object.keys(VERBS),
)

function prepareCreate(given: Given, context: KeyContext): KeyWork {
  return readTextOption(given, 'account') === undefined ? create(given, context) : createForAccount(given, context)
}

function create(given: Given, { plans, stdout, report }: KeyContext): KeyWork {
  const name = readName('--name', readTextOption(given, 'name'))
  const email = readEmail('--email', readTextOption(given, 'email'))
  const revision = readRevision(readTextOption(given, 'revision'))
  const expiresAt = readExpiryOption(given)
  const plan = requirePlan(plans, readTextOption(given, 'plan'))
  return allowStoreCreation(async (opened: OpenedStore) => {
    const parts = { name, email, plan, revision, expiresAt }
    const { key, secret } = buildKey({ ...parts, now: new Date(), pepper: opened.pepper })
    await opened.store.keys.createKey(key)
    await recordAction(opened, { command: 'keys create', action: 'key_created', key: key.id, detail: plan }, report)
    printCreated(key, secret, { stdout, report })
  })
}

function createForAccount(given: Given, { stdout, report }: KeyContext): KeyWork {
  const name = readName('--name', readTextOption(given, 'name'))
  const revision = readRevision(readTextOption(given, 'revision'))
  const expiresAt = readExpiryOption(given)
  const wantedPlan = readTextOption(given, 'plan')
  const wantedEmail = readTextOption(given, 'email')
  if (wantedEmail !== undefined) readEmail('--email', wantedEmail)
  return async (opened) => {
    const { id: account, email, plan } = await requireAccount(opened, readTextOption(given, 'account') ?? '')
    if (wantedPlan !== undefined && wantedPlan !== plan)
      throw new SetupError(`The account ${email} has the plan ${plan}, which its keys get. Leave out --plan.`)
    const parts = { name, email: wantedEmail ?? email, plan, revision, account, expiresAt }
    const { key, secret } = buildKey({ ...parts, now: new Date(), pepper: opened.pepper })
    if (!(await opened.store.keys.createAccountKey(key, Number.MAX_SAFE_INTEGER))) throw changedAccountError(email)
    await recordAction(opened, { command: 'keys create', action: 'key_created', account, key: key.id }, report)
    printCreated(key, secret, { stdout, report })
  }
}

function readExpiryOption(given: Given): Date | null {
  const expires = readTextOption(given, 'expires')
  return expires === undefined ? null : readExpiry('--expires', expires, Date.now())
}

function printCreated({ id }: Key, secret: string, { stdout, report }: Pick<KeyContext, 'stdout' | 'report'>): void {
  report(`Created ${id}. Its secret is shown once, below. Store it safely.`)
  stdout.write(`${secret}\n`)
}

function attach({ args: [id, email] }: Given, { report }: KeyContext): KeyWork {
  return async (opened) => {
    const key = await requireActiveKey(opened, id)
    if (key.account !== null) throw new SetupError(`The key ${id} already belongs to an account.`)
    const account = await requireAccount(opened, email)
    if (!(await opened.store.keys.attachKey(id, account.id))) throw changedAccountError(account.email)
    await recordAction(opened, { command: 'keys attach', action: 'key_attached', account: account.id, key: id }, report)
    report(`${id} now belongs to the account ${account.email} and has its plan ${account.plan}.`)
  }
}

function list({ values }: Given, { plans, stdout, report }: KeyContext): KeyWork {
  return async (opened) => {
    const { store } = opened
    const keys = await store.keys.listKeys()
    const findSlot = buildSlotFinder(await store.keys.listSlots())
    const counters = new Set(keys.map(({ counter }) => counter))
    const findUse = buildUseFinder(await store.usage.listMonths([...counters], '0000-01'))
    const nameAccount = buildAccountNamer(store)
    const views = []
    for (const key of keys) {
      const slot = findSlot(key.counter)
      views.push(viewKey(key, { account: await nameAccount(key), slot, ...findUse(key), plans, peppers: opened }))
    }
    if (values.json) stdout.write(views.map((view) => `${JSON.stringify(view)}\n`).join(''))
    else if (views.length > 0) stdout.write(formatKeys(views))
    else report('There are no keys yet.')
    reportUnknownPlans(keys, plans, report)
    reportPeppers(views, report)
  }
}

function reportPeppers(views: readonly KeyView[], report: KeyContext['report']): void {
  const count = (state: PepperState): number => views.filter(({ pepper }) => pepper === state).length
  const old = count('old')
  const missing = count('missing')
  if (old > 0) report(`Keys that need KEY_PEPPER_OLD: ${old}. Rotate them before you remove it.`)
  if (missing > 0) report(`Keys that are rejected: ${missing}. Set KEY_PEPPER_OLD to their pepper, or rotate them.`)
}

/** Builds a function that finds the scans charged to the counter of a key in the current month, and the last use of the key. */
function buildUseFinder(months: readonly MonthUsage[]): (key: Key) => { charged: number; lastUsedAt: Date | null } {
  const current = formatMonth(Date.now())
  const charged = new Map<string, number>()
  const uses = new Map<string, Date[]>()
  for (const { counter, month, used, lastUsedAt } of months) {
    if (month === current) charged.set(counter, used)
    uses.set(counter, [...(uses.get(counter) ?? []), lastUsedAt])
  }
  return (key) => ({
    charged: charged.get(key.counter) ?? 0,
    lastUsedAt: findLastUse(key, uses.get(key.counter) ?? []),
  })
}

function show({ args: [id] }: Given, { plans, stdout, report }: KeyContext): KeyWork {
  return async (opened) => {
    const { store } = opened
    const key = await requireKey(opened, id)
    const { counter, account: owner } = key
    const month = formatMonth(Date.now())
    const days = (await store.usage.listDays([counter], month)).map(({ day, used }) => ({ date: day, requests: used }))
    days.sort((a, b) => a.date.localeCompare(b.date))
    const secrets = key.secrets.map((one) => ({ secret: maskSecret(one), expiresAt: one.expiresAt }))
    const last = await store.usage.lastUsed(counter)
    const charged = await store.usage.usedBy(counter, month)
    const values = {
      account: await buildAccountNamer(store)(key),
      slot: owner === null ? null : buildSlotFinder(await store.keys.listSlots(owner))(counter),
      lastUsedAt: findLastUse(key, last === null ? [] : [last]),
      charged,
      peppers: opened,
      plans,
    }
    const { secret, used: _, limit, ...view } = viewKey(key, values)
    const { perMinute, perMonth } = key
    const limits = { ...findLimits(plans, key), own: { perMinute, perMonth } }
    const usage = { month, used: charged, limit, remaining: Math.max(limit - charged, 0), days }
    stdout.write(`${JSON.stringify({ ...view, secrets, limits, usage }, null, 2)}\n`)
    reportUnknownPlans([key], plans, report)
  }
}

function changedAccountError(email: string): SetupError {
  return new SetupError(`The account ${email} or the key has just been changed. Nothing was done. Try again.`)
}
