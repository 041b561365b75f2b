import type { Socket } from 'node:net'
import { expect } from 'vitest'
import { buildPage } from '../../src/engine/page/page.ts'
import { SCAN_CAUSES, ScanError } from '../../src/errors.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { type Dial, openDial } from '../../src/fetch/connector.ts'
import type { FetchOptions, Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import type { Resolver } from '../../src/fetch/resolver.ts'
import type { Expected } from '../../tools/bench/hostile/expected.ts'
import { HOSTILE_EVIDENCE, type HostileServer } from '../../tools/bench/hostile/hostile-servers.ts'
import type { Opened } from '../../tools/bench/hostile/raw-server.ts'
import { fetchText } from './fetch-text.ts'

/** Short, because each server that never ends takes it. A scan that misses it runs into the timeout of its test, 120 times later. */
export const DEADLINE_MS = 500
/** The deadline of scans that must end by something else. */
export const LATE_MS = 600_000
const local = parseAllowed('127.0.0.1')
export const policy: Policy = { ...DEFAULT_POLICY, allow: local === null ? [] : [local], deadlineMs: DEADLINE_MS }
const resolver: Resolver = {
  addresses: async () => {
    throw new ScanError('name_not_found')
  },
  records: async () => [],
}

interface Scan {
  readonly site: Site | null
  readonly error: unknown
  /** Sockets that are still open. */
  readonly left: readonly Socket[]
}

/** Scans a server, and lists the sockets that it leaves open. */
export async function scan(
  { url, dial = openDial() }: Opened,
  changes: Partial<Policy> = {},
  options: Pick<FetchOptions, 'signal' | 'evidence'> = {},
): Promise<Scan> {
  const sockets: Socket[] = []
  const watched: Dial = (options, callback) => {
    const socket = dial(options, callback)
    if (socket) sockets.push(socket)
    return socket
  }
  const outcome = await fetchText(url, { resolver, policy: { ...policy, ...changes }, dial: watched, ...options }).then(
    (site) => ({ site, error: null }),
    (error: unknown) => ({ site: null, error }),
  )
  return { ...outcome, left: sockets.filter((socket) => !socket.destroyed) }
}

/** Expects the outcome of a scan. */
export function judge({ site, error }: Scan, expected: Expected): void {
  if (expected !== 'fine' && 'reason' in expected) {
    expect(error, `${site?.status} ${site?.warnings}`).toBeInstanceOf(ScanError)
    const { reason, code, message } = error as ScanError
    expect({ reason, code, message }).toEqual({
      reason: expected.reason,
      code: SCAN_CAUSES[expected.reason][0],
      message: SCAN_CAUSES[expected.reason][1],
    })
    return
  }
  expect(error).toBeNull()
  const { warnings } = buildPage(site as Site)
  const all = [...(site as Site).warnings, ...warnings]
  expect(all).toEqual(expected === 'fine' ? [] : expected.warnings.map((warning) => expect.stringMatching(warning)))
}

/** Whether the scan of a server ends at its deadline. */
export const reachesDeadline = ({ expected }: HostileServer): boolean =>
  expected !== 'fine' && 'reason' in expected && expected.reason === 'deadline'

/** Whether the server only is hostile when its robots.txt and favicon are requested, which have time limits of their own. */
export const isAboutEvidence = (server: HostileServer): boolean => HOSTILE_EVIDENCE.includes(server)
