import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseAllowed } from '../../src/fetch/address.ts'
import { fetchSite } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { openResolver } from '../../src/fetch/resolver.ts'
import { parseTarget } from '../../src/fetch/target.ts'
import { buildPage } from '../../src/index.ts'
import { HOSTILE } from './hostile/hostile-servers.ts'

const MB = 2 ** 20

/** Measures the memory of the process, after garbage collection, before and after two scans of every hostile server. */
export async function measureHostileFetches(): Promise<Record<'rssBeforeMb' | 'rssAfterMb' | 'moreMb', number>> {
  await scanAll() // The first round loads and compiles the code that all others use.
  const before = collectGarbage()
  for (let round = 0; round < 2; round++) await scanAll()
  const after = collectGarbage()
  return { rssBeforeMb: Math.round(before), rssAfterMb: Math.round(after), moreMb: Math.round(after - before) }
}

/** Scans all servers concurrently. The tests check the outcome of each scan. */
async function scanAll(): Promise<void> {
  const allowed = parseAllowed('127.0.0.1')
  const policy = { ...DEFAULT_POLICY, deadlineMs: 500, allow: allowed ? [allowed] : [] }
  const scan = async ({ open }: (typeof HOSTILE)[number]): Promise<void> => {
    const { url, dial, close } = await open()
    try {
      const options = { policy, resolver: openResolver(), evidence: ['tls'] as const, ...(dial && { dial }) }
      buildPage(await fetchSite(parseTarget(url, policy), options))
    } catch {
      // Most scans are meant to fail.
    } finally {
      await close()
    }
  }
  await Promise.all(HOSTILE.map(scan))
}

/** Collects garbage. @returns the resident memory in MB */
function collectGarbage(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')() // Only a context that is created after setting the flag has this function.
  return process.memoryUsage().rss / MB
}
