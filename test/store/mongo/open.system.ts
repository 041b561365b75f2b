import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StoreSettings } from '../../../src/store/open/open-store.ts'
import { mongoUrl } from '../../support/services.ts'
import { newFolder } from '../open-stores.ts'
import { formatMismatch, OTHER, PEPPER, readPepper, readSetupError } from '../peppers.ts'

const url = mongoUrl('the configured store')
describe.skipIf(url === null)('with MongoDB', () => {
  const shared = (keyPepper: string): StoreSettings => ({
    dataDir: join(newFolder(), 'data'),
    mongodbUrl: url,
    keyPepper,
  })
  test('all nodes share one pepper', async () => {
    const settings = shared(PEPPER)
    expect(await Promise.all([readPepper(settings), readPepper(settings), readPepper(settings, 'tool')])).toEqual([
      PEPPER,
      PEPPER,
      PEPPER,
    ])
    expect(await readSetupError(readPepper(shared(OTHER)))).toBe(formatMismatch('KEY_PEPPER'))
    expect(existsSync(settings.dataDir)).toBe(false)
  })

  test('that cannot be reached, a start fails with a message that does not contain the password', async () => {
    const settings = { ...shared(PEPPER), mongodbUrl: 'mongodb://me:hunter2@127.0.0.1:9/x' }
    expect(await readSetupError(readPepper(settings))).not.toContain('hunter2')
  })
})
