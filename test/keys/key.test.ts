import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildKey, buildSecret, hashSecret, isUsable, isWellFormed, makeSecret, PREFIX } from '../../src/keys/key.ts'
import type { Key } from '../../src/keys/types.ts'

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PEPPER = 'a pepper of the test, long enough'
const NOW = new Date('2026-02-28T12:00:00.000Z')

/** Another secret in each run; a report of a failure shows it. */
const secret = fc.constant(null).map(makeSecret)

describe('a secret', () => {
  test.each([
    // CRC-32 reckoned with Python's zlib, its base 62 by hand.
    ['of noughts', `${PREFIX}${'0'.repeat(32)}2nnWtc`, true],
    ['with another checksum', `${PREFIX}${'0'.repeat(32)}2nnWtd`, false],
    ['without a checksum', `${PREFIX}${'0'.repeat(32)}`, false],
    ['of another prefix', `spk_test_${'0'.repeat(32)}2nnWtc`, false],
    ['with a line after it', `${PREFIX}${'0'.repeat(32)}2nnWtc\n`, false],
    ['with a blank before it', ` ${PREFIX}${'0'.repeat(32)}2nnWtc`, false],
    ['empty', '', false],
    ['of the prefix alone', PREFIX, false],
  ])('%s', (_, text, expected) => {
    expect(isWellFormed(text)).toBe(expected)
  })

  test('has its shape and checksum, always', () => {
    const made = Array.from({ length: 20_000 }, makeSecret)
    expect(made.filter((one) => !/^spk_live_[0-9A-Za-z]{38}$/.test(one))).toEqual([])
    expect(made.filter((one) => !isWellFormed(one))).toEqual([])
    expect(new Set(made).size).toBe(20_000)
    // Some of them have a checksum that begins with a nought, and every letter is in use.
    expect(made.some((one) => one.at(-6) === '0')).toBe(true)
    expect(new Set(made.flatMap((one) => [...one.slice(PREFIX.length, -6)])).size).toBe(62)
  })

  test('with one character changed is refused, wherever', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 46 }), fc.constantFrom(...LETTERS), (whole, at, letter) => {
        fc.pre(whole[at] !== letter)
        expect(isWellFormed(whole.slice(0, at) + letter + whole.slice(at + 1))).toBe(false)
      }),
      { numRuns: 5000 },
    )
  })

  test('with a character lost, doubled or swapped with its neighbour is refused', () => {
    fc.assert(
      fc.property(secret, fc.nat({ max: 45 }), (whole, at) => {
        const [before, one, next, after] = [whole.slice(0, at), whole[at], whole[at + 1], whole.slice(at + 2)]
        expect(isWellFormed(before + next + after)).toBe(false)
        expect(isWellFormed(before + one + one + next + after)).toBe(false)
        if (one !== next) expect(isWellFormed(before + next + one + after)).toBe(false)
      }),
      { numRuns: 5000 },
    )
  })

  test('any other text is refused, without a throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isWellFormed(text)))
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), secret, (text, whole) => text === '' || !isWellFormed(whole + text)),
    )
  })
})

test('a hash is the HMAC-SHA-256 of the whole secret under the pepper', () => {
  const whole = makeSecret()
  expect(hashSecret(whole, PEPPER)).toBe(createHmac('sha256', PEPPER).update(whole).digest('hex'))
  expect(hashSecret(whole, PEPPER)).toMatch(/^[0-9a-f]{64}$/)
  expect(hashSecret(whole, `${PEPPER}.`)).not.toBe(hashSecret(whole, PEPPER))
})

test('a new key keeps nothing of its secret but hash and last four', () => {
  const parts = { name: 'Ann', email: 'ann@a.example', plan: 'pro', revision: 1 } as const
  const { key, secret } = buildKey({ ...parts, now: NOW, pepper: PEPPER })
  expect(key).toEqual({
    ...parts,
    id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/),
    createdAt: NOW,
    revokedAt: null,
    secrets: [{ hash: hashSecret(secret, PEPPER), lastFour: secret.slice(-4), expiresAt: null }],
  })
  expect(JSON.stringify(key)).not.toContain(secret.slice(PREFIX.length, -6))
  expect(JSON.stringify(key)).not.toContain(PEPPER)
})

describe('a key is usable', () => {
  const { kept, secret } = buildSecret({ pepper: PEPPER })
  const old = buildSecret({ pepper: PEPPER }).kept
  const { key } = buildKey({ name: 'n', email: 'e', plan: 'free', revision: null, now: NOW, pepper: PEPPER })
  const withEnd = (expiresAt: Date | null): Key => ({ ...key, secrets: [kept, { ...old, expiresAt }] })
  const at = (ms: number): Date => new Date(NOW.getTime() + ms)
  test.each<[string, Key, string, boolean]>([
    ['with its secret', withEnd(null), hashSecret(secret, PEPPER), true],
    ['with an older one that has no end', withEnd(null), old.hash, true],
    ['with an older one a millisecond before its end', withEnd(at(1)), old.hash, true],
    ['not with an older one at its end', withEnd(at(0)), old.hash, false],
    ['not with an older one that has ended', withEnd(at(-1)), old.hash, false],
    ['with the new one when the old one has ended', withEnd(at(-1)), kept.hash, true],
    ['not with a secret of another key', withEnd(null), '0'.repeat(64), false],
    ['not when it is revoked', { ...withEnd(null), revokedAt: NOW }, kept.hash, false],
    [
      'not when a clock of another node was ahead as it was revoked',
      { ...withEnd(null), revokedAt: at(9000) },
      kept.hash,
      false,
    ],
  ])('%s', (_, one, hash, expected) => {
    expect(isUsable(one, hash, NOW.getTime())).toBe(expected)
  })
})
