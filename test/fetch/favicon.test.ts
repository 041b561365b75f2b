import { expect, test } from 'vitest'
import { hashFavicon } from '../../src/fetch/favicon.ts'

/** Bytes with a period of 256. */
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 7) % 256)
const dot = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

// Computed with Python's base64.encodebytes and an independent implementation of MurmurHash3.
test.each<[what: string, Uint8Array, hash: number]>([
  ['an empty file', bytes(0), 0],
  ['two characters of padding', bytes(1), -1253000196],
  ['one character of padding', bytes(2), -415920194],
  ['no padding', bytes(3), -1439392604],
  ['nearly a line', bytes(56), -56085707],
  ['exactly a line', bytes(57), -1822938491],
  ['a line and a little', bytes(58), 1114872637],
  ['exactly two lines', bytes(114), -871731837],
  ['two lines and a little', bytes(115), -1869032894],
  ['many lines', bytes(1000), -2074915008],
  ['64 KiB', bytes(65_536), 225366662],
  ['bytes above 127', new Uint8Array(300).fill(0xff), -689622157],
  ['a GIF', dot, -1542678720],
  ['a part of a buffer', Buffer.concat([bytes(5), dot, bytes(5)]).subarray(5, -5), -1542678720],
])('%s', (_, icon, hash) => {
  expect(hashFavicon(icon)).toBe(hash)
})
