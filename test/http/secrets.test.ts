import { expect, test } from 'vitest'
import { openEmbedded } from './app-kinds.ts'
import { runWithKeys, TOKEN } from './use-keys.ts'

test('the log contains no key, no hash of a key, and no query of a URL', async () => {
  const { secrets, log } = await runWithKeys(await openEmbedded())
  expect(log.split('\n').length).toBeGreaterThan(100)
  for (const secret of [...secrets, TOKEN]) expect(log.includes(secret), secret).toBe(false)
  expect(log, 'but of which key a request was').toMatch(/"key":"key_[0-9A-Za-z]{16}"/)
  expect(log, 'and why a scan failed').toContain('no route to 192.0.2.1')
})
