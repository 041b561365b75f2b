import { isVisibleLine } from '../../accounts/form-rules.ts'
import { formatMonth } from '../../keys/calendar.ts'
import { MAX_REQUESTS, type Plan } from '../../keys/plans.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { UsageError } from './command.ts'

// Readers of the options that describe a key. Each throws a UsageError for an invalid value.

/** @param option what to call the value in an error */
export function readName(option: string, name = ''): string {
  const trimmed = name.trim()
  if (!isVisibleLine(trimmed, 200))
    throw new UsageError(`${option} must have 1 to 200 characters, all on one line and some of them visible`)
  return trimmed
}

/** @param option what to call the value in an error */
export function readEmail(option: string, email = ''): string {
  const isGood = email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)
  if (!isGood) throw new UsageError(`${option} must be an address such as ann@example.org`)
  return email
}

export function requirePlan(plans: ReadonlyMap<string, Plan>, name: string | undefined): string {
  if (name !== undefined && plans.has(name)) return name
  const known = [...plans.keys()]
  throw new UsageError(
    name === undefined
      ? `--plan must be one of ${known.join(', ')}`
      : `there is no plan "${name}"${formatChoice(name, known)}`,
  )
}

export function readRevision(text: string | undefined): 1 | 2 | null {
  if (text === undefined) return null
  if (text === '1' || text === '2') return text === '1' ? 1 : 2
  throw new UsageError('--revision must be 1 or 2')
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a duration such as `24h`, in milliseconds. */
export function readSpan(option: string, text: string): number {
  const ms = text === '0' ? 0 : parseSpan(text)
  if (ms <= 365 * UNIT_MS.d) return ms
  throw new UsageError(`${option} must be 0 or a duration such as 90s, 15m, 24h or 7d, at most 365d`)
}

/** @returns NaN for a text that is not a duration */
function parseSpan(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  return Number(count) * UNIT_MS[unit]
}

const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/

/** Reads a day (its begin) or a time, both in UTC. @returns null for another text, or a day that does not exist */
function parseTime(text: string): Date | null {
  const time = TIME_PATTERN.test(text) ? new Date(text) : null
  // JavaScript reads 31 February as a day in March.
  return time !== null && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.slice(0, 10))
    ? time
    : null
}

/** Explains why a text is neither a time nor a duration. */
function describeBadTime(text: string): string {
  if (TIME_PATTERN.test(text)) return `there is no ${text}`
  if (/^\d{4}-\d{2}-\d{2}T/.test(text) && !text.endsWith('Z'))
    return `"${text}" does not end in Z, which stands for UTC`
  return `"${text}" is none of these`
}

/**
 * Reads when a key expires: a day, a time, a duration from now on, or `never`.
 * @param now milliseconds since 1970
 * @returns null for never
 */
export function readExpiry(option: string, text: string, now: number): Date | null {
  if (text === 'never') return null
  const ms = parseSpan(text)
  const time = Number.isNaN(ms) ? parseTime(text) : new Date(now + ms)
  if (time === null)
    throw new UsageError(
      `${option} must be a day such as 2027-01-31 (UTC), a time such as 2027-01-31T18:00Z, a duration such as 90d, or never: ${describeBadTime(text)}`,
    )
  if (time.getTime() <= now) throw new UsageError(`${option} must be in the future: ${text} is not`)
  // MongoDB and JavaScript store later times too, but a typo is more likely.
  if (time.getUTCFullYear() < 2100) return time
  throw new UsageError(`${option} must be before the year 2100: ${text} is not. A key without expiry has "never".`)
}

/**
 * Reads the start of a listed period: a day, a time, or a duration before now.
 * @param now milliseconds since 1970
 */
export function readSince(option: string, text: string, now: number): Date {
  const ms = parseSpan(text)
  const time = Number.isNaN(ms) ? parseTime(text) : new Date(now - ms)
  if (time !== null && !Number.isNaN(time.getTime())) return time
  throw new UsageError(
    `${option} must be a day such as 2026-01-31 (UTC), a time such as 2026-01-31T18:00Z, or a duration such as 24h or 7d: ${describeBadTime(text)}`,
  )
}

/**
 * Reads a month, `YYYY-MM`, that has begun.
 * @param now milliseconds since 1970
 */
export function readMonthOption(option: string, text: string, now: number): string {
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(text)) throw new UsageError(`${option} must be a month such as 2026-10`)
  const current = formatMonth(now)
  if (text <= current) return text
  throw new UsageError(`${option} must not be in the future: the current month is ${current} (UTC)`)
}

/** Reads a limit of a key. @returns null for the limit of the plan; undefined if it is not given */
export function readLimit(option: string, text: string | undefined, least: number): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'plan') return null
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= MAX_REQUESTS) return Number(text)
  throw new UsageError(
    `${option} must be a whole number from ${least} to ${MAX_REQUESTS}, or "plan" for the limit of the plan`,
  )
}
