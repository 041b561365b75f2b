import type { ConnectionError, SiteprintError } from './errors.ts'
import type { Extra, ScanResult } from './schema.ts'

export interface ScanOptions {
  /** What to add after the standard fields. */
  readonly include?: readonly Extra[]
  /** Scans again even if the service has a cached result. */
  readonly fresh?: boolean
  readonly signal?: AbortSignal
}

export interface ScanAllOptions extends ScanOptions {
  /** Concurrent requests; 8 by default. */
  readonly concurrency?: number
}

/** The outcome of one of many URLs. */
export type ScanOutcome =
  | { readonly url: string; readonly result: ScanResult; readonly error: null }
  | { readonly url: string; readonly result: null; readonly error: SiteprintError | ConnectionError }
