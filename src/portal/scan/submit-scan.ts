import type { FastifyRequest } from 'fastify'
import { nanoid } from 'nanoid'
import type { Key } from '../../keys/types.ts'
import { LIVE_EXTRAS } from '../../scan/extras.ts'
import { countKeyRequest } from '../../service/rate-limit.ts'
import { getRequestState } from '../../service/request-state.ts'
import type { ScanState } from '../../service/scan-runner.ts'
import type { StoredScan } from '../../store/account-types.ts'
import { StoreError } from '../../store/types.ts'
import type { PortalParts } from '../parts.ts'

/** Scans of an account that are stored. */
const KEPT_SCANS = 20

/** Adds the scheme that people omit when they type an address. */
export function completeUrl(text: string): string {
  return text === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`
}

export interface ScanOrder {
  readonly request: FastifyRequest
  /** Id of the account that owns the key. */
  readonly account: string
  /** The key to charge. */
  readonly key: Key
  /** The URL as completed by `completeUrl`. */
  readonly url: string
  readonly fresh: boolean
  /** How many pages of the site are read. */
  readonly pages: number
  /** Whether a browser runs the page. */
  readonly render: boolean
}

/**
 * Scans a site for an account, counted and charged like a request of the API with this key.
 * @returns null if the browser has disconnected: nothing was charged. `isStored` is false if the store failed after the charge:
 *   the result was paid for and must be shown now
 * @throws ApiError, ScanError, StoreError: nothing was charged
 */
export async function submitScan(
  { request, account, key, url, fresh, pages, render }: ScanOrder,
  { scans, settings, shared, store }: PortalParts,
): Promise<{ readonly scan: StoredScan; readonly isStored: boolean } | null> {
  const state = getRequestState(request)
  state.key = key
  const parameters = { url, include: LIVE_EXTRAS, fresh, pages, render: render ? 'always' : 'never' } as const
  const { error, ...lookup } = scans.read(parameters, state)
  await countKeyRequest(state, key, { settings, shared, lookup })
  if (error !== undefined) throw error
  const scan = await scans.run(request, state as ScanState, (entry): StoredScan => {
    const { builder } = JSON.parse(entry.result) as { readonly builder: string | null }
    return {
      id: nanoid(),
      account,
      url,
      builder,
      at: new Date(state.now),
      entry: { ...entry, ...(render && { isRendered: true }) },
    }
  })
  if (scan === null) return null
  return { scan, isStored: await storeScan(scan, store) }
}

async function storeScan(scan: StoredScan, store: PortalParts['store']): Promise<boolean> {
  try {
    await store.accounts.addScan(scan, KEPT_SCANS)
    return true
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return false
  }
}
