import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  buildKey,
  buildSecret,
  hashSecret,
  identifyPepper,
  isUsable,
  isWellFormed,
  makeSecret,
  SECRET_PREFIX,
} from '../../src/keys/key.ts'
import type { Key } from '../../src/keys/types.ts'
import { codePoint } from '../support/code-point.ts'
import { countRuns } from '../support/property-runs.ts'

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PEPPER = 'a pepper of the test, long enough'
const NOW = new Date('2026-02-28T12:00:00.000Z')

/** The checksum of a text, CRC-32 as six digits of base 62. */
const computeChecksum = (text: string): string =>
  Array.from({ length: 6 }, (_, i) => LETTERS[Math.floor(crc32(text) / 62 ** (5 - i)) % 62]).join('')

/** Secrets that the seed decides, unlike those of `makeSecret`. */
const secret = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 32, maxLength: 32 }).map((letters) => {
  const body = SECRET_PREFIX + letters
  return body + computeChecksum(body)
})

describe('a secret', () => {
  test.each([
    // CRC-32 computed with Python's zlib, converted to base 62 by hand.
    ['of zeros', `${SECRET_PREFIX}${'0'.repeat(32)}2nnWtc`, true],
    ['with another checksum', `${SECRET_PREFIX}${'0'.repeat(32)}2nnWtd`, false],
    ['without a checksum', `${SECRET_PREFIX}${'0'.repeat(32)}`, false],
    ['with another prefix', `spk_test_${'0'.repeat(32)}2nnWtc`, false],
    ['followed by a line break', `${SECRET_PREFIX}${'0'.repeat(32)}2nnWtc\n`, false],
    ['preceded by a space', ` ${SECRET_PREFIX}${'0'.repeat(32)}2nnWtc`, false],
    ['empty', '', false],
    ['with only the prefix', SECRET_PREFIX, false],
  ])('%s', (_, text, expected) => {
    expect(isWellFormed(text)).toBe(expected)
  })

  test('always has the expected form and checksum', () => {
    const made = Array.from({ length: 20_000 }, makeSecret)
    expect(made.filter((one) => !/^spk_live_[0-9A-Za-z]{38}$/.test(one))).toEqual([])
    expect(made.filter((one) => !isWellFormed(one))).toEqual([])
    expect(new Set(made).size).toBe(20_000)
    // Some checksums begin with a zero, and every letter occurs.
    expect(made.some((one) => one.at(-6) === '0')).toBe(true)
    expect(new Set(made.flatMap((one) => [...one.slice(SECRET_PREFIX.length, -6)])).size).toBe(62)
  })

  test('with one changed character is rejected, whatever its position', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 46 }), fc.constantFrom(...LETTERS), (whole, at, letter) => {
        fc.pre(whole[at] !== letter)
        expect(isWellFormed(whole.slice(0, at) + letter + whole.slice(at + 1))).toBe(false)
      }),
      { numRuns: countRuns(1500) },
    )
  })

  test('with a missing, doubled or swapped character is rejected', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 45 }), (whole, at) => {
        const [before, one, next, after] = [whole.slice(0, at), whole[at], whole[at + 1], whole.slice(at + 2)]
        expect(isWellFormed(before + next + after)).toBe(false)
        expect(isWellFormed(before + one + one + next + after)).toBe(false)
        if (one !== next) expect(isWellFormed(before + next + one + after)).toBe(false)
      }),
      { numRuns: countRuns(1500) },
    )
  })

  test('with its own checksum is accepted', { tags: ['property'] }, () => {
    fc.assert(fc.property(secret, isWellFormed))
  })

  test('any other text is rejected without throwing', { tags: ['property'] }, () => {
    fc.assert(fc.property(fc.string({ unit: codePoint }), (text) => !isWellFormed(text)))
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), secret, (text, whole) => text === '' || !isWellFormed(whole + text)),
    )
  })
})

test('a hash is the HMAC-SHA-256 of the whole secret with the pepper as its key', () => {
  const whole = makeSecret()
  expect(hashSecret(whole, PEPPER)).toBe(createHmac('sha256', PEPPER).update(whole).digest('hex'))
  expect(hashSecret(whole, PEPPER)).toMatch(/^[0-9a-f]{64}$/)
  expect(hashSecret(whole, `${PEPPER}.`)).not.toBe(hashSecret(whole, PEPPER))
})

test('a new key contains only the hash and the last four characters of its secret', () => {
  const parts = { name: 'Ann', email: 'ann@a.example', plan: 'pro', revision: 1 } as const
  const { key, secret } = buildKey({ ...parts, now: NOW, pepper: PEPPER })
  expect(key).toEqual({
    ...parts,
    account: null,
    counter: key.id,
    suspendedAt: null,
    expiresAt: null,
    perMinute: null,
    perMonth: null,
    id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
    createdAt: NOW,
    revokedAt: null,
    secrets: [
      { hash: hashSecret(secret, PEPPER), lastFour: secret.slice(-4), expiresAt: null, pepper: identifyPepper(PEPPER) },
    ],
  })
  expect(JSON.stringify(key)).not.toContain(secret.slice(SECRET_PREFIX.length, -6))
  expect(JSON.stringify(key)).not.toContain(PEPPER)
})

describe('a key is usable', () => {
  const { stored, secret } = buildSecret({ pepper: PEPPER })
  const old = buildSecret({ pepper: PEPPER }).stored
  const { key } = buildKey({ name: 'n', email: 'e', plan: 'free', revision: null, now: NOW, pepper: PEPPER })
  const withEnd = (expiresAt: Date | null): Key => ({ ...key, secrets: [stored, { ...old, expiresAt }] })
  const at = (ms: number): Date => new Date(NOW.getTime() + ms)
  test.each<[string, Key, string, boolean]>([
    ['with its secret', withEnd(null), hashSecret(secret, PEPPER), true],
    ['with an older secret that does not expire', withEnd(null), old.hash, true],
    ['with an older secret a millisecond before it expires', withEnd(at(1)), old.hash, true],
    ['not with an older secret at the moment it expires', withEnd(at(0)), old.hash, false],
    ['not with an expired older secret', withEnd(at(-1)), old.hash, false],
    ['with the new secret when the old one has expired', withEnd(at(-1)), stored.hash, true],
    ['not with the secret of another key', withEnd(null), '0'.repeat(64), false],
    ['a millisecond before it expires', { ...withEnd(null), expiresAt: at(1) }, stored.hash, true],
    ['not at the moment it expires', { ...withEnd(null), expiresAt: at(0) }, stored.hash, false],
    ['not if it is suspended', { ...withEnd(null), suspendedAt: NOW }, stored.hash, false],
    ['not if it is revoked', { ...withEnd(null), revokedAt: NOW }, stored.hash, false],
    [
      'not if the clock of the node that revoked it was ahead',
      { ...withEnd(null), revokedAt: at(9000) },
      stored.hash,
      false,
    ],
  ])('%s', (_, one, hash, expected) => {
    expect(isUsable(one, hash, NOW.getTime())).toBe(expected)
  })
})
