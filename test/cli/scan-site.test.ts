import { expect, test } from 'vitest'
import { scanSite } from '../../src/cli/scan/scan-site.ts'
import { parseSite } from '../../src/cli/scan/site-list.ts'
import { ScanError } from '../../src/errors.ts'
import type { LiveScan, Scanner } from '../../src/scan/scanner.ts'
import { sampleScan } from '../support/sample-scan.ts'

type Reason = ConstructorParameters<typeof ScanError>[0]

/** Scans a site with a scanner that fails for some URLs. Returns the URLs that were tried, and the outcome. */
async function scanWith(text: string, failures: Readonly<Record<string, Reason>>) {
  const tried: string[] = []
  const scan = async (url: string): Promise<LiveScan> => {
    tried.push(url)
    if (url in failures) throw new ScanError(failures[url])
    return sampleScan(url)
  }
  const outcome = await scanSite({ scan } as Scanner, parseSite(text)).then(
    ({ verdict }) => verdict.url,
    (error: ScanError) => error.reason,
  )
  return { tried, outcome }
}

const [HTTPS, HTTP] = ['https://a.example', 'http://a.example']

test.each<[name: string, text: string, failures: Record<string, Reason>, tried: string[], outcome: string]>([
  ['a bare domain with HTTPS', 'a.example', {}, [HTTPS], HTTPS],
  ['a bare domain that refuses HTTPS', 'a.example', { [HTTPS]: 'connection_refused' }, [HTTPS, HTTP], HTTP],
  ['a bare domain that fails otherwise', 'a.example', { [HTTPS]: 'unreachable' }, [HTTPS], 'unreachable'],
  [
    'a bare domain that refuses both',
    'a.example',
    { [HTTPS]: 'connection_refused', [HTTP]: 'connection_refused' },
    [HTTPS, HTTP],
    'connection_refused',
  ],
  ['a URL that refuses HTTPS', HTTPS, { [HTTPS]: 'connection_refused' }, [HTTPS], 'connection_refused'],
])('%s: HTTP is tried only after a bare domain has refused HTTPS', async (_, text, failures, tried, outcome) => {
  expect(await scanWith(text, failures)).toEqual({ tried, outcome })
})
