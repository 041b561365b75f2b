import type { ConnectionError, SiteprintError } from './errors.ts'
import type { Extra, ScanRequest, ScanResult } from './schema.ts'

export interface ScanOptions {
  /** What to add after the standard fields. */
  readonly include?: readonly Extra[]
  /** Scans again even if the service has a cached result. */
  readonly fresh?: boolean
  /** How many pages of the site are read, from 1 to 5. Each is charged as one scan. Revision 2 only. */
  readonly pages?: number
  /** Whether a browser of the service runs the scripts of the page. Revision 2 only. */
  readonly render?: ScanRequest['render']
  readonly signal?: AbortSignal
}

export interface ScanAllOptions extends ScanOptions {
  /** Concurrent requests; 8 by default. */
  readonly concurrency?: number
}

export interface BatchOptions extends Omit<ScanOptions, 'pages' | 'render'> {
  /** https URL to which a signed message is sent when the batch ends. */
  readonly webhook?: string
  /** Repeating a call with the same value finds the first batch instead of creating another one. */
  readonly idempotencyKey?: string
}

export interface ResultOptions {
  /** Pause before results are read again that are not there yet, in milliseconds; 2,000 by default. */
  readonly pollMs?: number
  readonly signal?: AbortSignal
}

/** The outcome of one of many URLs. */
export type ScanOutcome =
  | { readonly url: string; readonly result: ScanResult; readonly error: null }
  | { readonly url: string; readonly result: null; readonly error: SiteprintError | ConnectionError }
