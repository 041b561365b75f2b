import type { Cycle, Product } from './lifecycle-types.ts'

/** What a project still does for the versions of a release cycle. */
export const SUPPORT_STATES = ['supported', 'security-only', 'ended', 'unknown'] as const
type SupportState = (typeof SUPPORT_STATES)[number]

/** Whether the project of a product still supports a version. */
export interface Support {
  /** The release cycle; null if the version does not tell one cycle. */
  readonly cycle: string | null
  readonly state: SupportState
  /** The last day with security fixes; null if none is set or known. */
  readonly ends: string | null
  /** The latest version of the cycle; null if it is not known. */
  readonly latest: string | null
  /** False if the page names a distribution that may patch this version after its project has ended its support. */
  readonly certain: boolean
}

const UNKNOWN: Omit<Support, 'certain'> = { cycle: null, state: 'unknown', ends: null, latest: null }

/**
 * Finds the support of a version on a day. A version that may belong to several cycles (`6`, `1.x`) has a state only if all of them
 * have that state on that day.
 * @param version as a page shows it
 * @param day the day of the scan (UTC): 2026-11-27
 */
export function findSupport({ cycles }: Product, version: string, day: string): Omit<Support, 'certain'> {
  const possible = listPossibleCycles(cycles, version)
  const [first, ...others] = possible
  if (first === undefined) return UNKNOWN
  const state = computeState(first, day)
  const { cycle, ends, latest = null } = first
  if (others.length === 0) return { cycle, state, ends: typeof ends === 'string' ? ends : null, latest }
  if (others.some((one) => computeState(one, day) !== state)) return UNKNOWN
  const isSameDay = typeof ends === 'string' && others.every((one) => one.ends === ends)
  return { ...UNKNOWN, state, ends: isSameDay ? ends : null }
}

/** Whether a version names a release, and not only the beginning of its number, as `6` and `1.x` do. */
export function isExact({ cycles }: Product, version: string): boolean {
  const stated = readStated(version)
  const isWhole = !/[x*]$/i.test(version) && stated.includes('.')
  return isWhole && !cycles.some(({ cycle }) => startsWithParts(cycle, stated))
}

/** The cycles that a version may belong to: the one whose name it begins with, and those whose names begin with it. */
function listPossibleCycles(cycles: readonly Cycle[], version: string): readonly Cycle[] {
  const stated = readStated(version)
  if (stated === '') return []
  const deeper = cycles.filter(({ cycle }) => cycle === stated || startsWithParts(cycle, stated))
  if (deeper.length > 0) return deeper
  const [longest] = cycles
    .filter(({ cycle }) => startsWithParts(stated, cycle))
    .sort((a, b) => b.cycle.length - a.cycle.length)
  return longest === undefined ? [] : [longest]
}

/** The part of a version that is stated: without a leading v, and without `.x` and `.*` at its end. */
function readStated(version: string): string {
  const parts = version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .split('.')
  while (parts.length > 1 && /^[x*]$/.test(parts[parts.length - 1])) parts.pop()
  return parts.join('.')
}

/** Whether a version begins with the parts of another one: 1.10 does not begin with 1.1, but 1.1.1d with 1.1.1. */
function startsWithParts(version: string, beginning: string): boolean {
  if (!version.startsWith(beginning)) return false
  const next = version.charAt(beginning.length)
  return next !== '' && !/\d/.test(next)
}

function computeState({ ends, activeEnds = false }: Cycle, day: string): SupportState {
  if (hasPassed(ends, day)) return 'ended'
  return hasPassed(activeEnds, day) ? 'security-only' : 'supported'
}

/** Support lasts to the end of the day that is named. Days compare as texts. */
function hasPassed(last: string | boolean, day: string): boolean {
  return typeof last === 'string' ? day > last : last
}
