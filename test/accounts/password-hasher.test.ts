import { randomBytes, scryptSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { PasswordHasher } from '../../src/accounts/password-hasher.ts'

const PASSWORD = 'a long and unusual pässword'

test('by default a password is hashed with scrypt, its full cost and a salt of its own', async () => {
  const hasher = new PasswordHasher()
  const [first, second] = await Promise.all([hasher.hash(PASSWORD), hasher.hash(PASSWORD)])
  const [salt, key] = first.split(':')
  expect(salt).toMatch(/^[0-9a-f]{32}$/)
  const cost = { N: 2 ** 14, r: 16, p: 1, maxmem: 2 ** 26 }
  expect(key).toBe(scryptSync(PASSWORD.normalize('NFKC'), salt, 64, cost).toString('hex'))
  expect(second.split(':')[0]).not.toBe(salt)
  expect(await hasher.verify(PASSWORD, first)).toBe(true)
  expect(await hasher.verify(`${PASSWORD}.`, first)).toBe(false)
})

test('without a hash any password is wrong', async () => {
  expect(await new PasswordHasher().verify(randomBytes(8).toString('hex'), null)).toBe(false)
})
