import { expect, test } from 'vitest'
import { parseAllowed } from '../../src/fetch/address.ts'
import { buildPolicy, DEFAULT_POLICY, type PolicySettings } from '../../src/fetch/policy.ts'

const SETTINGS: PolicySettings = {
  scanAllow: [],
  scanPorts: [80, 443],
  scanDeny: [],
  contactUrl: null,
  scanScripts: true,
  botKey: null,
  botDirectory: null,
}
const allowed = [parseAllowed('127.0.0.1:3000')].filter((entry) => entry !== null)

test.each<[string, Partial<PolicySettings>, Partial<typeof DEFAULT_POLICY>]>([
  ['no setting', {}, {}],
  ['allowed addresses', { scanAllow: allowed }, { allow: allowed }],
  ['ports', { scanPorts: [8080] }, { ports: [8080] }],
  ['denied hosts', { scanDeny: ['example.org'] }, { deny: ['example.org'] }],
  ['no scripts', { scanScripts: false }, { fetchesBodies: false }],
  [
    'an address of the operator',
    { contactUrl: 'https://example.org/bot' },
    { userAgent: 'Siteprint/1.2.3 (+https://example.org/bot)' },
  ],
])('a policy with %s has all other limits of the default one', (_, settings, changed) => {
  const expected = { ...DEFAULT_POLICY, userAgent: 'Siteprint/1.2.3', ...changed }
  expect(buildPolicy({ ...SETTINGS, ...settings }, '1.2.3')).toEqual(expected)
})
