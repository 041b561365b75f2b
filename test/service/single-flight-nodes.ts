import type { SharedState } from '../../src/coordination/types.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { SingleFlight } from '../../src/service/single-flight.ts'
import type { AppKind } from '../http/app-kinds.ts'
import { type PausedScan, pauseScans } from '../http/paused-scan.ts'
import { onFileEnd } from '../support/on-file-end.ts'

/** The single-flight of a node, with scans that end on demand. */
export interface Node {
  readonly shared: SharedState
  readonly singleFlight: SingleFlight
  readonly held: PausedScan
  readonly failures: unknown[]
}

/** Opens a node, which is closed at the end of the file. */
export async function openNode({ open }: AppKind): Promise<Node> {
  const { store, shared } = await open()
  onFileEnd(async () => {
    await shared.close()
    await store.close()
  })
  const held = pauseScans()
  const failures: unknown[] = []
  const scan = ({ url }: { readonly url: URL }) => held.scan(url.href)
  const onFailure = (_: unknown, error: unknown): void => void failures.push(error)
  return { shared, held, failures, singleFlight: new SingleFlight({ shared, clock: Date.now, scan, onFailure }) }
}

/** Builds the arguments of `join`. */
export function buildRequest(site: string, change: { fresh?: boolean; waitMs?: number } = {}) {
  const target = parseTarget(site, DEFAULT_POLICY)
  const { fresh = false, waitMs = 5000 } = change
  const order = { target, rules: { version: 'rules' }, cacheKey: `rules ${site}`, fresh }
  return [order, { id: 'r', client: 'key', waitMs }] as const
}
