import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { describeWeakness } from '../../src/config/weak-secret.ts'

test.each([
  ['a'.repeat(32), 'is one repeated character'],
  ['😀'.repeat(32), 'is one repeated character'],
  ['ab'.repeat(16), 'has only 2 different characters'],
  ['12345'.repeat(7), 'has only 5 different characters'],
  ['1234567'.repeat(5), 'is a repeated text'],
  ['siteprint-'.repeat(4), 'is a repeated text'],
  ['please keep this safe.please keep', 'is a repeated text'],
  ['abcdefghijklmnopqrstuvwxyz0123456789', 'is a sequence of characters'],
  ['0123456789012345678901234567890123', 'is a repeated text'],
  ['zyxwvutsrqponmlkjihgfedcba987654', 'is a sequence of characters'],
  ['aaaaaaaabbbbbbbbccccccccddddddddeeeeeeefghi', 'is a sequence of characters'],
  ['change-me-to-a-long-random-string-1', 'looks like a placeholder'],
  ['MyPassw0rd!MyPassw0rd?1234567890abc', 'looks like a placeholder'],
  ['your-secret-goes-here-0123456789ab', 'looks like a placeholder'],
])('%s %s', (secret, weakness) => {
  expect(describeWeakness(secret)).toBe(weakness)
})

test('random secrets are not weak, however they are written', () => {
  for (let i = 0; i < 2000; i++) {
    const bytes = randomBytes(32)
    const digits = [...bytes].map((byte) => byte % 10).join('')
    for (const secret of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex'), digits])
      if (describeWeakness(secret) !== null) expect.fail(`${secret} ${describeWeakness(secret)}`)
  }
})
