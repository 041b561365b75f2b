import { isUnasked, type Result, toResult } from '../engine/verdict/result.ts'
import { ScanError } from '../errors.ts'
import type { Extras, SystemPart } from './extra-schemas.ts'
import { LIVE_EXTRAS, type LiveExtra } from './extras.ts'
import type { LiveScan } from './scanner.ts'

/** The ten fields of the scan of a live site, followed by the parts of a scan of several pages and the extras that were asked for. */
export type LiveResult = Result & { readonly parts?: readonly SystemPart[] } & Partial<
    Pick<Extras, 'infrastructure' | 'timing' | 'meta' | 'details' | 'packages'>
  >

/** Builds the response of a scan: the ten standard fields, then the requested extras in fixed order. */
export function toLiveResult({ verdict, parts, ...live }: LiveScan, include: readonly LiveExtra[] = []): LiveResult {
  const known = { ...verdict, ...live }
  const wanted = LIVE_EXTRAS.filter((key) => include.includes(key) || isUnasked(key, verdict))
  const { page: _, ...fields } = toResult(verdict)
  return { ...fields, ...(parts && { parts }), ...Object.fromEntries(wanted.map((key) => [key, known[key]])) }
}

/** Builds the public description of a failed scan. An unexpected error is reported as `internal`. */
export function toErrorBody(error: unknown): { readonly error: string; readonly code: string } {
  const scanError = error instanceof ScanError ? error : new ScanError('internal', { cause: error })
  return { error: scanError.message, code: scanError.code }
}
