import { expect, test } from 'vitest'
import { listNetworks } from '../../src/accounts/networks.ts'
import { normalizeClient } from '../../src/web/client-address.ts'

test.each<[string, string[]]>([
  ['192.0.2.7', ['192.0.2.7']],
  ['::ffff:192.0.2.7', ['192.0.2.7']],
  ['2001:db8:1:2345:6:7:8:9', ['2001:db8:1::/48', '2001:db8:1:2300::/56', '2001:db8:1:2345::/64']],
  ['2001:db8:1:23ff::1', ['2001:db8:1::/48', '2001:db8:1:2300::/56', '2001:db8:1:23ff::/64']],
  ['2001:db8:1:2400::1', ['2001:db8:1::/48', '2001:db8:1:2400::/56', '2001:db8:1:2400::/64']],
  ['::1', ['0:0:0::/48', '0:0:0:0::/56', '0:0:0:0::/64']],
  ['unknown', ['?unknown']],
])('the networks of %s', (address, expected) => {
  expect(listNetworks(normalizeClient(address))).toEqual(expected)
})
