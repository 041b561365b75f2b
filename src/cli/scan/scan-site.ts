import { ScanError } from '../../errors.ts'
import type { LiveScan, Scanner, ScanOptions } from '../../scan/scanner.ts'
import type { ListedSite } from './site-list.ts'

/** Lists and the command line also accept bare domains. */
const NOT_A_SITE =
  'A site must be a domain with a dot such as example.org, or a URL such as https://example.org, at most 2048 characters long and without credentials.'

/**
 * Scans a site. A bare domain is scanned with `http://` if its server refuses the connection for `https://`.
 * @throws ScanError; the signal's reason when it aborts
 */
export async function scanSite(
  scanner: Scanner,
  { urls }: Pick<ListedSite, 'urls'>,
  options: Pick<ScanOptions, 'signal' | 'pages' | 'render'> = {},
): Promise<LiveScan> {
  const [url, fallback] = urls
  try {
    return await scanner.scan(url, options)
  } catch (error) {
    if (error instanceof ScanError && error.reason === 'not_a_url')
      throw new ScanError('not_a_url', { sentence: NOT_A_SITE })
    if (fallback === undefined || !(error instanceof ScanError) || error.reason !== 'connection_refused') throw error
    return await scanner.scan(fallback, options)
  }
}
