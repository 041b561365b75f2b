import { isVisibleLine } from '../accounts/form-rules.ts'
import type { Plan } from '../keys/plans.ts'
import { UsageError } from './command.ts'

// Readers of the options that describe a key. Each throws a UsageError for an invalid value.

export function readName(name = ''): string {
  const trimmed = name.trim()
  if (!isVisibleLine(trimmed, 200))
    throw new UsageError('--name must have 1 to 200 characters, all on one line and some of them visible')
  return trimmed
}

export function readEmail(email = ''): string {
  const isGood = email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)
  if (!isGood) throw new UsageError('--email must be an address such as ann@example.org')
  return email
}

export function requirePlan(plans: ReadonlyMap<string, Plan>, name: string | undefined): string {
  if (name !== undefined && plans.has(name)) return name
  const known = [...plans.keys()].join(', ')
  throw new UsageError(
    name === undefined ? `--plan must be one of ${known}` : `there is no plan "${name}": use one of ${known}`,
  )
}

export function readRevision(text: string | undefined): 1 | 2 | null {
  if (text === undefined) return null
  if (text === '1' || text === '2') return text === '1' ? 1 : 2
  throw new UsageError('--revision must be 1 or 2')
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a duration such as `24h`, in milliseconds. */
export function readSpan(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const ms = text === '0' ? 0 : Number(count) * UNIT_MS[unit]
  if (ms <= 365 * UNIT_MS.d) return ms
  throw new UsageError('--overlap must be 0 or a duration such as 90s, 15m, 24h or 7d, at most 365d')
}
