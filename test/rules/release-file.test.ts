import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Conformance } from '../../src/rules/conformance.ts'
import { pickCases } from '../../src/rules/pick-cases.ts'
import { checkHead, compareReleases, MAX_HEAD_BYTES, parsePublicKey, readPart } from '../../src/rules/release-file.ts'
import { changeManifest, makeRelease, PUBLIC_KEY } from '../updates/test-release.ts'

const { bytes, release } = makeRelease(7)

const readAll = (file: Uint8Array, key = PUBLIC_KEY): unknown => {
  const head = checkHead(file, key)
  return [head.manifest, readPart(file, head, 'ruleset'), readPart(file, head, 'cases')]
}

test('a signed file contains its manifest, the ruleset and its cases', () => {
  const ruleset = { version: release.version, rules: [{ slug: 'wordpress' }] }
  expect(readAll(bytes)).toMatchObject([release, ruleset, [{ page: { url: 'https://larkfield.example/' } }]])
  expect(checkHead(bytes.subarray(0, MAX_HEAD_BYTES), PUBLIC_KEY).manifest).toMatchObject(release)
})

describe('another file is refused', () => {
  const flip = (at: number): Buffer => {
    const copy = Buffer.from(bytes)
    copy[at] ^= 1
    return copy
  }
  const other = generateKeyPairSync('ed25519')
  const SIGNATURE = /the signature of the file is not valid/
  test.each<[string, Buffer, RegExp]>([
    ['empty', Buffer.alloc(0), /is not a released ruleset, or it is cut/],
    ['a page', Buffer.from('<!doctype html>\n<title>Not found</title>\n'), SIGNATURE],
    ['cut in its first line', bytes.subarray(0, 100), /is not a released ruleset, or it is cut/],
    ['cut in its content', bytes.subarray(0, -1), /the file is cut: it has \d+ of \d+ bytes/],
    ['another manifest', flip(20), SIGNATURE],
    ['another signature', flip(bytes.indexOf('\n') + 5), SIGNATURE],
    ['another ruleset', flip(bytes.indexOf(0x1f) + 30), /the file is damaged/],
    ['another case', flip(bytes.length - 10), /the file is damaged/],
    ['signed by another key', changeManifest(bytes, (same) => same, other.privateKey), SIGNATURE],
    [
      'of a newer format',
      changeManifest(bytes, (one) => ({ ...one, format: 3 })),
      /3, is newer than 2.*upgrade Siteprint/,
    ],
    ['of an older format', changeManifest(bytes, (one) => ({ ...one, format: 1 })), /1, is older than 2/],
    ['without a format', changeManifest(bytes, ({ format: _, ...one }) => one), /is not a manifest/],
    [
      'with a path for a version',
      changeManifest(bytes, (one) => ({ ...one, version: '../../x' })),
      /is not a manifest/,
    ],
    ['without lengths', changeManifest(bytes, (one) => ({ ...one, cases: {} })), /is not a manifest/],
    ['that is a list', changeManifest(bytes, () => []), /is not a manifest/],
  ])('%s', (_, file, sentence) => {
    expect(() => readAll(file)).toThrow(sentence)
  })
})

test('a public key is PEM or its base64 text; other keys are rejected', () => {
  const pem = `-----BEGIN PUBLIC KEY-----\n${PUBLIC_KEY}\n-----END PUBLIC KEY-----\n`
  const { publicKey } = generateKeyPairSync('x25519')
  const foreign = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const cases = [PUBLIC_KEY, pem, pem.replaceAll('\n', ' '), foreign, '', 'key']
  expect(cases.map(parsePublicKey)).toEqual([PUBLIC_KEY, PUBLIC_KEY, PUBLIC_KEY, null, null, null])
})

test.each([
  ['the same', '0.1.0 2026-11-01', '0.1.0 2026-11-01', 0],
  ['a later date', '0.1.0 2026-11-02', '0.1.0 2026-11-01', 1],
  ['an earlier date of a later version', '0.2.0 2026-11-01', '0.1.9 2026-12-01', 1],
  ['numbers, not texts', '0.9.0 2026-11-01', '0.10.0 2026-11-01', -1],
  ['a preview has the numbers of its version', '0.2.0-rc.1 2026-11-01', '0.2.0 2026-11-02', -1],
])('order of releases: %s', (_, a, b, sign) => {
  const [one, other] = [a, b].map((text) => ({
    siteprint: text.split(' ')[0],
    date: `${text.split(' ')[1]}T00:00:00Z`,
  }))
  expect([Math.sign(compareReleases(one, other)), Math.sign(compareReleases(other, one))]).toEqual([sign, -sign || 0])
})

test('the cases of a release show each name once, and a sample of the others', () => {
  const build = (builderSlug: string | null, technologies: string[], number: number) => ({
    page: { url: `https://${number}.example/` },
    result: { builderSlug, technologies, hosting: null, siteType: null },
  })
  const others = Array.from({ length: 40 }, (_, i) => build(null, [], 100 + i))
  const pages = [build('wix', ['React'], 1), build('wix', ['Vue.js'], 2), build('wix', ['React'], 3), ...others]
  const picked = pickCases(pages as unknown as Conformance['pages']).map(({ page }) => page.url)
  const numbers = [1, 2, 3, 100, 120].map((number) => `https://${number}.example/`)
  expect(picked).toEqual(numbers)
})
