import { loadConfig } from '../config/config.ts'
import { SetupError } from '../errors.ts'
import { buildKey, buildSecret } from '../keys/key.ts'
import { type Plan, planOf } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { EXIT, readArgs, runCommand, UsageError } from './command.ts'
import { readEmail, readName, readRevision, readSpan, requirePlan } from './key-input.ts'
import { maskSecret, tableOf, viewKey } from './key-view.ts'
import { type Opened, withStore } from './with-store.ts'

const HELP = `
Makes and keeps API keys. Changes hold on every node within 5 seconds.

  npm run -s keys -- create --name N --email E --plan P [--revision 1|2]
      Prints the new key alone: it is shown once. --revision pins it to a revision of the API, else API_REVISION holds.
  npm run -s keys -- list [--json]
      All keys, as a table or as one JSON object a line.
  npm run -s keys -- show <id>
      One key with its use of this month, as JSON.
  npm run -s keys -- revoke <id>
      Ends a key for good.
  npm run -s keys -- rotate <id> [--overlap 24h]
      Prints a new secret alone, shown once. The former ones end after --overlap: 0, 90s, 15m, 24h, 7d; at most 365d.
  npm run -s keys -- set-plan <id> <plan>
      What was used in this month counts on.

Settings (environment): those of the server; DATA_DIR or MONGODB_URL, KEY_PEPPER and PLANS_FILE.
Exit code: 0 fine, 2 bad use or nothing could be done.
`

const text = { type: 'string' } as const
const OPTIONS = {
  name: text,
  email: text,
  plan: text,
  revision: text,
  overlap: text,
  json: { type: 'boolean' },
} as const
type Values = { readonly [name in keyof typeof OPTIONS]?: name extends 'json' ? boolean : string }

/** What was written after a verb, and what it may name. */
interface Given {
  readonly words: readonly string[]
  readonly values: Values
  readonly plans: ReadonlyMap<string, Plan>
}
type Work = (opened: Opened) => Promise<void>

interface Verb {
  readonly words: readonly string[]
  readonly options: readonly (keyof typeof OPTIONS)[]
  /** Judges what was written before a store is opened, and perhaps made. */
  readonly prepare: (given: Given) => Work
}

const VERBS: Readonly<Record<string, Verb>> = {
  create: { words: [], options: ['name', 'email', 'plan', 'revision'], prepare: create },
  list: { words: [], options: ['json'], prepare: list },
  show: { words: ['id'], options: [], prepare: show },
  revoke: { words: ['id'], options: [], prepare: revoke },
  rotate: { words: ['id'], options: ['overlap'], prepare: rotate },
  'set-plan': { words: ['id', 'plan'], options: [], prepare: setPlan },
}

await runCommand(HELP, async (args) => {
  const { values, positionals } = readArgs({ args, allowPositionals: true, options: OPTIONS })
  const [name, ...words] = positionals
  const verb = Object.hasOwn(VERBS, name ?? '') ? VERBS[name] : undefined
  const verbs = Object.keys(VERBS).join(', ')
  if (verb === undefined)
    throw new UsageError(name === undefined ? `say what to do: ${verbs}` : `"${name}" is none of ${verbs}`)
  for (const option of Object.keys(values) as (keyof typeof OPTIONS)[])
    if (!verb.options.includes(option)) throw new UsageError(`--${option} does not go with ${name}`)
  if (words.length !== verb.words.length)
    throw new UsageError(`${name} takes ${verb.words.map((word) => `<${word}>`).join(' ') || 'options alone'}`)
  const config = loadConfig()
  await withStore(config, verb.prepare({ words, values, plans: config.plans }))
  return EXIT.fine
})

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

function create({ values, plans }: Given): Work {
  const name = readName(values.name)
  const email = readEmail(values.email)
  const revision = readRevision(values.revision)
  const plan = requirePlan(plans, values.plan)
  return async ({ store, pepper }) => {
    const { key, secret } = buildKey({ name, email, plan, revision, now: new Date(), pepper })
    await store.keys.createKey(key)
    tell(`${key.id} is made. Its secret is shown once, here: keep it well.`)
    process.stdout.write(`${secret}\n`)
  }
}

function list({ values }: Given): Work {
  return async ({ store }) => {
    const views = []
    for (const key of await store.keys.listKeys()) views.push(viewKey(key, await store.usage.lastUsed(key.id)))
    if (values.json) process.stdout.write(views.map((view) => `${JSON.stringify(view)}\n`).join(''))
    else if (views.length > 0) process.stdout.write(tableOf(views))
    else tell('There is no key yet.')
  }
}

async function requireKey({ store }: Opened, id: string): Promise<Key> {
  const key = await store.keys.getKey(id)
  if (key === null) throw new SetupError(`There is no key "${id}": list shows those there are`)
  return key
}

async function requireLiveKey(opened: Opened, id: string): Promise<Key> {
  const key = await requireKey(opened, id)
  if (key.revokedAt !== null) throw revokedError(id)
  return key
}

function revokedError(id: string): SetupError {
  return new SetupError(`The key ${id} is revoked: make another with create`)
}

function show({ words: [id], plans }: Given): Work {
  return async (opened) => {
    const { store } = opened
    const key = await requireKey(opened, id)
    const month = new Date().toISOString().slice(0, 7)
    const used = await store.usage.usedBy(id, month)
    const limit = planOf(plans, key.plan).perMonth
    const usage = { month, used, limit, remaining: Math.max(limit - used, 0) }
    const secrets = key.secrets.map((one) => ({ secret: maskSecret(one), expiresAt: one.expiresAt }))
    const { secret, ...view } = viewKey(key, await store.usage.lastUsed(id))
    process.stdout.write(`${JSON.stringify({ ...view, secrets, usage }, null, 2)}\n`)
  }
}

function revoke({ words: [id] }: Given): Work {
  return async (opened) => {
    const { revokedAt } = await requireKey(opened, id)
    if (revokedAt !== null) return tell(`${id} was revoked already, at ${revokedAt.toISOString()}`)
    await opened.store.keys.revokeKey(id, new Date())
    tell(`${id} is revoked: within 5 seconds nobody takes it any more`)
  }
}

function rotate({ words: [id], values: { overlap = '24h' } }: Given): Work {
  const overlapMs = readSpan(overlap)
  return async (opened) => {
    await requireLiveKey(opened, id)
    const { kept, secret } = buildSecret({ pepper: opened.pepper })
    const now = new Date()
    const oldEndAt = new Date(now.getTime() + overlapMs)
    if (!(await opened.store.keys.rotateKey(id, { secret: kept, oldEndAt, now }))) throw revokedError(id)
    tell(`The new secret of ${id} is shown once, here: keep it well. The former one ends at ${oldEndAt.toISOString()}.`)
    process.stdout.write(`${secret}\n`)
  }
}

function setPlan({ words: [id, name], plans }: Given): Work {
  const plan = requirePlan(plans, name)
  return async (opened) => {
    await requireLiveKey(opened, id)
    await opened.store.keys.setPlan(id, plan)
    tell(`${id} has the plan ${plan}`)
  }
}
