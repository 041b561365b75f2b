import { type FetchOptions, fetchSite, type Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { parseTarget } from '../../src/fetch/target.ts'

/** Parses a URL under the policy of the options and fetches it. A URL that the policy rejects is a rejection, too. */
export async function fetchText(text: string, options: FetchOptions): Promise<Site> {
  return await fetchSite(parseTarget(text, options.policy ?? DEFAULT_POLICY), options)
}
