import { SetupError } from '../../errors.ts'
import { buildSecret } from '../../keys/key.ts'
import { findLimits } from '../../keys/plans.ts'
import type { KeyChange } from '../../store/types.ts'
import { UsageError } from '../command/command.ts'
import { readEmail, readExpiry, readLimit, readName, readSpan, requirePlan } from '../command/key-input.ts'
import { recordAction } from '../command/record-action.ts'
import { type Given, readTextOption, type Verb } from '../command/verbs.ts'
import {
  buildRevokedKeyError,
  buildUnknownKeyError,
  type KeyContext,
  type KeyWork,
  requireActiveKey,
  requireKey,
} from './key-work.ts'

const text = { type: 'string' } as const

/** The verbs of `keys` that change an existing key. */
export const KEY_CHANGES: Readonly<Record<string, Verb<KeyContext, KeyWork>>> = {
  revoke: { args: ['id'], options: {}, prepare: revoke },
  rotate: { args: ['id'], options: { overlap: text }, prepare: rotate },
  delete: { args: ['id'], options: { yes: { type: 'boolean' } }, prepare: remove },
  'set-plan': { args: ['id', 'plan'], options: {}, prepare: setPlan },
  'set-limits': { args: ['id'], options: { 'per-minute': text, 'per-month': text }, prepare: setLimits },
  'set-expiry': { args: ['id', 'time'], options: {}, prepare: setExpiry },
  'set-name': { args: ['id', 'name'], options: {}, prepare: setName },
  'set-email': { args: ['id', 'email'], options: {}, prepare: setEmail },
}

function revoke({ args: [id] }: Given, { report }: KeyContext): KeyWork {
  return async (opened) => {
    const { account, revokedAt } = await requireKey(opened, id)
    if (revokedAt !== null) return report(`${id} was already revoked at ${revokedAt.toISOString()}.`)
    await opened.store.keys.revokeKey(id, new Date())
    await recordAction(opened, { command: 'keys revoke', action: 'key_revoked', account, key: id }, report)
    report(`Revoked ${id}. Every node rejects it within 5 seconds.`)
  }
}

function rotate(given: Given, { stdout, report }: KeyContext): KeyWork {
  const [id] = given.args
  const overlapMs = readSpan('--overlap', readTextOption(given, 'overlap') ?? '24h')
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    const { stored, secret } = buildSecret({ pepper: opened.pepper })
    const now = new Date()
    const oldEndAt = new Date(now.getTime() + overlapMs)
    if (!(await opened.store.keys.rotateKey(id, { secret: stored, oldEndAt, now }))) throw buildRevokedKeyError(id)
    await recordAction(opened, { command: 'keys rotate', action: 'key_rotated', account, key: id }, report)
    const until = oldEndAt.toISOString()
    report(`The new secret of ${id} is shown once, below. Store it safely. The previous one expires at ${until}.`)
    stdout.write(`${secret}\n`)
  }
}

function remove({ args: [id], values }: Given, { report }: KeyContext): KeyWork {
  if (values.yes !== true)
    throw new UsageError('delete removes a key with its name and e-mail address permanently: confirm it with --yes')
  return async (opened) => {
    const { account } = await requireKey(opened, id)
    if (!(await opened.store.keys.deleteKey(id))) throw buildUnknownKeyError(id)
    await recordAction(opened, { command: 'keys delete', action: 'key_deleted', account, key: id }, report)
    const usage = account === null ? 'by its id' : 'in its slot'
    report(`Deleted ${id}. Every node rejects it within 5 seconds. "keys usage" still shows its usage, ${usage}.`)
  }
}

function setPlan({ args: [id, name] }: Given, { plans, report }: KeyContext): KeyWork {
  const plan = requirePlan(plans, name)
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    if (account !== null)
      throw new SetupError(`The key ${id} belongs to an account, whose plan it has. Change the plan of the account.`)
    if (!(await opened.store.keys.setPlan(id, plan))) throw buildUnknownKeyError(id)
    await recordAction(opened, { command: 'keys set-plan', action: 'plan_changed', key: id, detail: plan }, report)
    report(`${id} now has the plan ${plan}.`)
  }
}

function setLimits(given: Given, { plans, report }: KeyContext): KeyWork {
  const [id] = given.args
  const perMinute = readLimit('--per-minute', readTextOption(given, 'per-minute'), 1)
  const perMonth = readLimit('--per-month', readTextOption(given, 'per-month'), 0)
  if (perMinute === undefined && perMonth === undefined)
    throw new UsageError(
      'set-limits takes --per-minute, --per-month or both: a number, or "plan" for the limit of the plan',
    )
  const change = { ...(perMinute !== undefined && { perMinute }), ...(perMonth !== undefined && { perMonth }) }
  return async (opened) => {
    const key = await requireActiveKey(opened, id)
    await changeKey(opened, id, change)
    const changed = { ...key, ...change }
    const limits = findLimits(plans, changed)
    const minute = formatLimit(limits.perMinute, 'requests per minute', changed.perMinute)
    const month = formatLimit(limits.perMonth, 'charged scans per month', changed.perMonth)
    const detail = `${minute}, ${month}`
    const action = { command: 'keys set-limits', action: 'key_limits_changed', account: key.account } as const
    await recordAction(opened, { ...action, key: id, detail }, report)
    report(`The limits of ${id} are now ${detail}.`)
  }
}

/** @param own the key's own limit; null if it has the limit of its plan */
function formatLimit(limit: number, unit: string, own: number | null): string {
  return `${limit} ${unit}${own === null ? ' (plan)' : ''}`
}

function setExpiry({ args: [id, time] }: Given, { report }: KeyContext): KeyWork {
  const expiresAt = readExpiry('<time>', time, Date.now())
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    await changeKey(opened, id, { expiresAt })
    const detail = expiresAt?.toISOString() ?? 'never'
    const action = { command: 'keys set-expiry', action: 'key_expiry_changed', account, key: id, detail } as const
    await recordAction(opened, action, report)
    report(expiresAt === null ? `${id} no longer expires.` : `${id} now expires at ${detail}.`)
  }
}

function setName({ args: [id, text] }: Given, { report }: KeyContext): KeyWork {
  const name = readName('<name>', text)
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    if (!(await opened.store.keys.renameKey(id, name))) throw buildUnknownKeyError(id)
    await recordAction(opened, { command: 'keys set-name', action: 'key_renamed', account, key: id }, report)
    report(`${id} now has the name ${name}.`)
  }
}

function setEmail({ args: [id, text] }: Given, { report }: KeyContext): KeyWork {
  const email = readEmail('<email>', text)
  return async (opened) => {
    const { account } = await requireActiveKey(opened, id)
    await changeKey(opened, id, { email })
    await recordAction(opened, { command: 'keys set-email', action: 'key_email_changed', account, key: id }, report)
    report(`${id} now has the e-mail address ${email}.`)
  }
}

/** @throws SetupError if the key was deleted meanwhile */
async function changeKey({ store }: Parameters<KeyWork>[0], id: string, change: KeyChange): Promise<void> {
  if (!(await store.keys.changeKey(id, change))) throw buildUnknownKeyError(id)
}
