import type { CatalogueEntry } from '../detector/catalogue.ts'
import type { Result } from '../engine/verdict/result.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import type { Extras, SystemPart } from '../scan/extra-schemas.ts'
import type { LiveExtra } from '../scan/extras.ts'
import type { RenderMode } from '../scan/render-modes.ts'

/** A result with the extras that were asked for. */
export type SiteResult = Result &
  Partial<Pick<Verdict, 'page'>> & {
    readonly infrastructure?: object
    readonly details?: Extras['details']
    readonly parts?: readonly SystemPart[]
    readonly meta?: { readonly title: string | null }
  }

/** How much of its quota the caller has used. */
export interface QuotaUsage {
  /** null without a service: scans from this machine are not limited. */
  readonly plan: string | null
  /** Scans in this month; without a service, since the start. */
  readonly used: number
  readonly limit: number | null
  readonly remaining: number | null
  /** The day on which the quota begins again, such as 2026-12-01. */
  readonly resetsOn: string | null
}

/** Options of a scan. */
interface ToolScanOptions {
  readonly include: readonly LiveExtra[]
  readonly fresh: boolean
  /** How many pages of the site are read; 1 if absent. */
  readonly pages?: number
  /** Whether a browser runs the page; `never` if absent. */
  readonly render?: RenderMode
}

/** A list of URLs that a service scans in the background, as the API describes it. */
export interface BatchState {
  readonly id: string
  /** waiting, running, paused, completed or cancelled. */
  readonly status: string
  /** Why it is paused or was cancelled. */
  readonly reason: string | null
  readonly total: number
  readonly counts: Readonly<Record<'waiting' | 'succeeded' | 'failed' | 'cancelled', number>>
  /** Code → number of URLs that failed with it. */
  readonly failures: Readonly<Record<string, number>>
  readonly secondsLeft: number | null
}

/** The outcome of one URL of a batch. */
export interface ToolBatchLine {
  readonly position: number
  readonly url: string
  readonly result?: SiteResult
  readonly error?: string | null
}

/** What the tools of batches need. */
export interface BatchBackend {
  submit(urls: readonly string[], options: { readonly fresh: boolean }): Promise<BatchState>
  read(id: string): Promise<BatchState>
  /** Reads a part of the results. `next` is the cursor of the next part; null if there is none and the batch has ended. */
  readResults(
    id: string,
    cursor: string | null,
  ): Promise<{ readonly lines: readonly ToolBatchLine[]; readonly next: string | null }>
}

/** What the tools need: a service, or a scanner on this machine. Failures are a `ToolError`. */
export interface Backend {
  scan(url: string, options: ToolScanOptions): Promise<SiteResult>
  listCatalogue(): Promise<readonly CatalogueEntry[]>
  readUsage(): Promise<QuotaUsage>
  /** Absent without a service. */
  readonly batches?: BatchBackend
}

/** A tool cannot do what it was asked; the message says why, and what to do. */
export class ToolError extends Error {}
