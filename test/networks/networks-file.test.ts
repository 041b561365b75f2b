import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNetworks } from '../../src/networks/open-networks.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { buildDatabase, MAXMIND, type Value } from './build-database.ts'

test.each<[of: string, Value, found: object | null]>([
  ['MaxMind and DB-IP', MAXMIND, { asn: 64_496, name: 'Harbour Networks' }],
  ['IPinfo', { asn: 'AS64497', as_name: 'Tidewater Hosting' }, { asn: 64_497, name: 'Tidewater Hosting' }],
  ['IPinfo, in older files', { asn: 'AS64497', name: 'Tidewater Hosting' }, { asn: 64_497, name: 'Tidewater Hosting' }],
  ['one without names', { autonomous_system_number: 64_498 }, { asn: 64_498, name: 'AS64498' }],
  ['one of countries', { country: 'DE' }, null],
  ['one with a number that is not one', { asn: 'ASx' }, null],
])('a database of %s', async (_, entry, found) => {
  const file = join(writeFolder({}), 'networks.mmdb')
  writeFileSync(file, buildDatabase([203, 0, 113], entry))
  const networks = await openNetworks(file)
  expect(networks.find('203.0.113.7')).toEqual(found)
  expect(['203.0.114.7', '2001:db8::1', 'example.com', ''].map((address) => networks.find(address))).toEqual(
    Array(4).fill(null),
  )
})
