import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNetworks } from '../../src/networks/open-networks.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { until } from '../support/until.ts'
import { buildDatabase, MAXMIND } from './build-database.ts'

test('a database that is replaced is read again', async () => {
  const file = join(writeFolder({}), 'networks.mmdb')
  writeFileSync(file, buildDatabase([203, 0, 113], MAXMIND))
  const networks = await openNetworks(file)
  expect(networks.find('198.51.100.7')).toBe(null)
  // Replaced again and again: a watcher that has not read the time of the first file yet takes the first replacement for it.
  await until(() => {
    writeFileSync(`${file}.new`, buildDatabase([198, 51, 100], MAXMIND))
    renameSync(`${file}.new`, file)
    return networks.find('198.51.100.7')?.asn
  }, 64_496)
})
