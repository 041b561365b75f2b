import { expect, test } from 'vitest'
import { adviseAllow } from '../../src/cli/scan/allow-hint.ts'
import { parseSite } from '../../src/cli/scan/site-list.ts'
import { type ScanCause, ScanError } from '../../src/errors.ts'
import { parseAllowed } from '../../src/fetch/address.ts'

const NAME = '--allow opens addresses, not names: to scan'
test.each<[text: string, cause: ScanCause, allow: string[], advice: string | null]>([
  [
    'http://10.0.0.1/a',
    'not_public',
    [],
    'To scan a site on your own machine or network, allow its address: --allow 10.0.0.1',
  ],
  [
    'http://127.0.0.1:8080',
    'not_public',
    ['127.0.0.1:80'],
    'To scan a site on your own machine or network, allow its address: --allow 127.0.0.1:8080',
  ],
  [
    'http://[::1]/',
    'not_public',
    [],
    'To scan a site on your own machine or network, allow its address: --allow [::1]',
  ],
  [
    'http://localhost:8080/a',
    'not_public',
    [],
    'To scan a site on your own machine, use its address: http://127.0.0.1:8080/a --allow 127.0.0.1:8080',
  ],
  [
    'http://localhost:8080/a',
    'not_public',
    ['127.0.0.1:8080'],
    '127.0.0.1 is allowed as an address, and localhost is a name: use http://127.0.0.1:8080/a',
  ],
  [
    'http://app.localhost/',
    'not_public',
    ['[::1]'],
    '::1 is allowed as an address, and app.localhost is a name: use http://[::1]/',
  ],
  [
    'https://localhost/',
    'not_public',
    ['127.0.0.0/8'],
    '127.0.0.1 is allowed as an address, and localhost is a name: use https://127.0.0.1/',
  ],
  [
    'http://printer.lan/',
    'not_public',
    ['10.0.0.1'],
    `${NAME} a site on your own network, write the address of printer.lan in the URL, and allow it with --allow.`,
  ],
  [
    'https://dev.example.com/',
    'address_refused',
    ['10.0.0.1'],
    `dev.example.com has the address 10.0.0.1: private use. ${NAME} the site, use https://10.0.0.1/ --allow 10.0.0.1`,
  ],
  ['https://example.com/', 'name_not_found', [], null],
  ['nonsense', 'not_a_url', [], null],
])('%s, %s with --allow %j', (text, cause, allow, advice) => {
  const error = new ScanError(cause, { cause: 'dev.example.com has the address 10.0.0.1: private use' })
  const site = parseSite(text)
  expect(adviseAllow(error, site, { config: { scanAllow: [] }, allow })).toBe(advice)
  // The setting SCAN_ALLOW counts like the option.
  const scanAllow = allow.flatMap((entry) => parseAllowed(entry) ?? [])
  expect(adviseAllow(error, site, { config: { scanAllow }, allow: [] })).toBe(advice)
})
