import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { findBlockedReason } from '../../src/fetch/address.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { parseTarget, type Target } from '../../src/fetch/target.ts'
import { countRuns } from '../support/property-runs.ts'
import {
  BLOCKS_V4,
  BLOCKS_V6,
  isSpecialV4,
  isSpecialV6,
  numberOfV4,
  numberOfV6,
  textOfV4,
  textOfV6,
} from './special-blocks.ts'

/** Random addresses, and addresses close to the ends of special-purpose blocks. */
const near = (blocks: readonly (readonly [bigint, number])[], size: number): fc.Arbitrary<bigint> =>
  fc.oneof(
    fc.bigInt(0n, (1n << BigInt(size)) - 1n),
    fc.tuple(fc.constantFrom(...blocks), fc.bigInt(-2n, 2n), fc.boolean()).map(([[first, bits], step, atEnd]) => {
      const address = first + step + (atEnd ? 1n << BigInt(size - bits) : 0n)
      return BigInt.asUintN(size, address)
    }),
    fc
      .tuple(fc.constantFrom(...blocks), fc.bigInt(0n, (1n << BigInt(size)) - 1n))
      .map(([[first, bits], low]) => first | (low & ((1n << BigInt(size - bits)) - 1n))),
  )
const isatap = fc
  .tuple(fc.bigInt(0n, (1n << 128n) - 1n), fc.constantFrom(0x5efen, 0x0200_5efen))
  .map(([address, head]) => (address & ~(0xffff_ffffn << 32n)) | (head << 32n))
const v4 = near(BLOCKS_V4, 32)
const v6 = fc.oneof(near(BLOCKS_V6, 128), isatap)

/** The spellings of one octet, or of several trailing octets as one number. */
const number = (value: bigint): fc.Arbitrary<string> =>
  fc.constantFrom(`${value}`, `0x${value.toString(16)}`, `0X00${value.toString(16)}`, `0${value.toString(8)}`)
const fullwidth = (text: string): string =>
  text.replace(/[0-9a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
const percent = (text: string): string => text.replace(/[0-9a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
const v4Text = v4.chain((address) => {
  const octets = [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n)
  return fc.integer({ min: 1, max: 4 }).chain((parts) => {
    const tail = address & ((1n << BigInt(8 * (5 - parts))) - 1n)
    return fc.tuple(...octets.slice(0, parts - 1).map(number), number(tail)).map((all) => all.join('.'))
  })
})
const v6Text = fc.oneof(
  v6.map((address) => `[${textOfV6(address)}]`),
  v6.map(
    (address) =>
      `[${textOfV6(address)
        .replace(/\b0(?::0)+\b/, ':')
        .replace(':::', '::')}]`,
  ),
  v4.map((address) => `[::ffff:${textOfV4(address)}]`),
  v4.map((address) => `[::${textOfV4(address)}]`),
  v4.map((address) => `[64:ff9b::${textOfV4(address)}]`),
)
const host = fc.oneof(
  { weight: 4, arbitrary: v4Text },
  { weight: 4, arbitrary: v6Text },
  { weight: 1, arbitrary: v4Text.map(fullwidth) },
  { weight: 1, arbitrary: v4Text.map(percent) },
  { weight: 1, arbitrary: v4Text.map((text) => text.replaceAll('.', '。')) },
  { weight: 1, arbitrary: fc.oneof(fc.domain(), fc.string(), fc.string({ unit: 'grapheme' })) },
)
const often = (good: readonly string[], bad: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: fc.constantFrom(...bad) })
const urlText = fc
  .record({
    scheme: often(['http://', 'https://', 'HTTP://', ' http://'], ['http:/', 'http:///', '//', 'ftp://', '']),
    user: often([''], ['@', 'a@', 'a:b@', '8.8.8.8%2f@', '8.8.8.8\\@']),
    host,
    dot: often(['', '.'], ['..']),
    port: often(['', ':', ':80', ':443'], [':22', ':０８０', ':80:80', ':99999']),
    path: fc.oneof(often(['', '/', '/a?b#c', '#@127.0.0.1'], ['\\', '\t']), fc.webPath()),
  })
  .map(({ scheme, user, host, dot, port, path }) => `${scheme}${user}${host}${dot}${port}${path}`)

function findTarget(text: string): Target | null {
  try {
    return parseTarget(text, DEFAULT_POLICY)
  } catch (error) {
    expect(error).toBeInstanceOf(ScanError)
    expect(['invalid_url', 'blocked_target']).toContain((error as ScanError).code)
    return null
  }
}

describe('compared with a second classifier', () => {
  test('the same IPv4 addresses are public', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(v4, (address) => (findBlockedReason(textOfV4(address)) !== null) === isSpecialV4(address)),
      { numRuns: countRuns(2000) },
    )
  })

  test('the same IPv6 addresses are public', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(v6, (address) => (findBlockedReason(textOfV6(address)) !== null) === isSpecialV6(address)),
      { numRuns: countRuns(2000) },
    )
  })

  test('no URL text gives access to a special-purpose address, and every error is a ScanError', {
    tags: ['property'],
  }, () => {
    let literals = 0
    fc.assert(
      fc.property(urlText, (text) => {
        const target = findTarget(text)
        if (target === null) return
        const shown = target.url.hostname
        expect(target.isLiteral).toBe(/^\[|^[\d.]+$/.test(shown))
        expect(target.host).toBe(shown.replace(/^\[|\]$/g, ''))
        if (!target.isLiteral) return
        literals++
        const isSpecial = shown.startsWith('[')
          ? isSpecialV6(numberOfV6(target.host))
          : isSpecialV4(numberOfV4(target.host))
        expect(isSpecial, text).toBe(false)
      }),
      { numRuns: countRuns(8000) },
    )
    expect(literals).toBeGreaterThan(500)
  })

  test('a public address is accepted in every spelling', { tags: ['property'] }, () => {
    const isPublic = v4.filter((address) => !isSpecialV4(address))
    fc.assert(
      fc.property(
        isPublic,
        fc.constantFrom(textOfV4, String, (n: bigint) => `0x${n.toString(16)}`),
        (address, write) => {
          expect(findTarget(`http://${write(address)}/`)?.host).toBe(textOfV4(address))
        },
      ),
    )
  })
})
