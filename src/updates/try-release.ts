import { readFileSync } from 'node:fs'
import type { RulesetInfo } from '../detector/ruleset-info.ts'
import type { MatchPool } from '../detector/worker-pool.ts'
import type { PageInput } from '../engine/page/page.ts'
import { toResult } from '../engine/verdict/result.ts'
import { ScanError, SetupError } from '../errors.ts'
import { checkHead, type ReleaseSource, readPart } from '../rules/release-file.ts'

/** A page and the ten fields that the ruleset must find on it. */
interface Case {
  readonly page: PageInput
  readonly result: Readonly<Record<string, unknown>>
}

/** A ruleset that was tried, with its workers. The caller closes the pool. */
export interface TriedRuleset {
  readonly pool: MatchPool
  readonly info: RulesetInfo
}

/**
 * Loads a released ruleset in workers and matches its conformance cases, one at a time, so that scans have the processors.
 * @param open starts the workers
 * @throws SetupError that says why the ruleset is refused; the signal's reason. The workers are terminated then
 */
export async function tryRelease(
  release: ReleaseSource,
  open: (release: ReleaseSource) => MatchPool,
  signal: AbortSignal,
): Promise<TriedRuleset> {
  signal.throwIfAborted()
  const pool = open(release)
  const stop = (): void => void pool.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const info = await pool.ready
    for (const [i, one] of readCases(release).entries()) await tryCase(pool, { ...one, number: i + 1 }, signal)
    return { pool, info }
  } catch (error) {
    await pool.close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function readCases({ file, publicKey }: ReleaseSource): readonly Case[] {
  const bytes = readFileSync(file)
  try {
    const cases = readPart(bytes, checkHead(bytes, publicKey), 'cases') as readonly Case[]
    if (Array.isArray(cases) && cases.length > 0) return cases
    throw new SetupError('the file has no conformance cases')
  } catch (error) {
    throw new SetupError(`${file}: ${(error as Error).message}`)
  }
}

async function tryCase(
  pool: MatchPool,
  { page, result, number }: Case & { readonly number: number },
  signal: AbortSignal,
): Promise<void> {
  const name = `conformance case ${number} (${page.url ?? 'without URL'})`
  const refuse = (why: string): never => {
    throw new SetupError(`${name} ${why}; a newer version of Siteprint may be needed`)
  }
  const { verdict } = await pool.match(page, { signal }).catch((error: unknown) => {
    if (error instanceof ScanError) return refuse('could not be matched within the limits of a page')
    throw error
  })
  const found: Readonly<Record<string, unknown>> = { ...toResult(verdict) }
  for (const [field, expected] of Object.entries(result))
    if (JSON.stringify(found[field]) !== JSON.stringify(expected))
      refuse(`has ${field} ${JSON.stringify(found[field])} instead of ${JSON.stringify(expected)}`)
}
