import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parseAllowed } from '../../src/fetch/address.ts'
import { fetchSite } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { openResolver } from '../../src/fetch/resolver.ts'
import { buildPage } from '../../src/index.ts'
import { HOSTILE } from './hostile/hostile-servers.ts'

const MB = 2 ** 20

/** Memory of the process around every hostile server there is, twice over, garbage collected. */
export async function measureHostileFetches(): Promise<Record<'rssBeforeMb' | 'rssAfterMb' | 'moreMb', number>> {
  await scanAll() // The first round loads and compiles what all others use.
  const before = collectedRss()
  for (let round = 0; round < 2; round++) await scanAll()
  const after = collectedRss()
  return { rssBeforeMb: Math.round(before), rssAfterMb: Math.round(after), moreMb: Math.round(after - before) }
}

/** All at once; what becomes of each is for the tests to say. */
async function scanAll(): Promise<void> {
  const allowed = parseAllowed('127.0.0.1')
  const policy = { ...DEFAULT_POLICY, deadlineMs: 500, allow: allowed ? [allowed] : [] }
  const scan = async ({ open }: (typeof HOSTILE)[number]): Promise<void> => {
    const { url, dial, close } = await open()
    try {
      buildPage(await fetchSite(url, { policy, resolver: openResolver(), evidence: ['tls'], ...(dial && { dial }) }))
    } catch {
      // Most are meant to fail.
    } finally {
      await close()
    }
  }
  await Promise.all(HOSTILE.map(scan))
}

function collectedRss(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')() // A context made after the flag was set has it.
  return process.memoryUsage().rss / MB
}
