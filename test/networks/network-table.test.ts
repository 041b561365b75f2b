import { isIP } from 'node:net'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { parseIp } from '../../src/engine/text/parse-ip.ts'
import { NetworkTable, writeNetworkTable } from '../../src/networks/network-table.ts'
import { openNetworks, openOwnNetworks } from '../../src/networks/open-networks.ts'
import { writeFolder } from '../support/rule-folder.ts'

const NETWORKS = [
  { asn: 64496, name: 'Harbour Networks' },
  { asn: 64497, name: 'Tidewater Hosting GmbH' },
]
const RANGES = [
  { from: '203.0.113.0', to: '203.0.113.127', asn: 64496 },
  { from: '203.0.113.128', to: '203.0.113.255', asn: 64496 },
  { from: '198.51.100.0', to: '198.51.100.255', asn: 64497 },
  { from: '255.255.255.0', to: '255.255.255.255', asn: 64497 },
  { from: '2001:db8::', to: '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', asn: 64496 },
  { from: '2001:db9::', to: '2001:db9::ffff:ffff:ffff:ffff', asn: 64497 },
]
const bytes = writeNetworkTable({ source: 'a test', date: '2026-11-26' }, NETWORKS, RANGES)
const open = (content: Uint8Array): NetworkTable => new NetworkTable(Uint8Array.from(content).buffer)
const table = open(bytes)

test.each([
  ['203.0.113.0', 64496],
  ['203.0.113.255', 64496],
  ['203.0.112.255', undefined],
  ['203.0.114.0', undefined],
  ['198.51.100.7', 64497],
  ['255.255.255.255', 64497],
  ['0.0.0.0', undefined],
  ['::ffff:198.51.100.7', 64497],
  ['2001:db8::', 64496],
  ['2001:DB8:FFFF::1', 64496],
  ['2001:db9::1', 64497],
  ['2001:db9:0:1::', undefined],
  ['::', undefined],
  ['ffff::', undefined],
  ['example.com', undefined],
  ['', undefined],
  ['203.0.113.7.', undefined],
  ['::ffff:c633:6407', 64497],
  ['2001:db8::7%eth0', 64496],
  ['2001:db8::198.51.100.7', 64496],
])('%s', (address, asn) => {
  expect(table.find(address)?.asn).toBe(asn)
})

test('ranges that follow each other in one network are one, and each network is found by its first address', () => {
  expect(table.countRanges()).toEqual(
    new Map([
      [64496, 2],
      [64497, 3],
    ]),
  )
  expect([table.findAddress(64497), table.findAddress(64511)]).toEqual(['198.51.100.0', null])
})

test('addresses are read as ipaddr.js reads them', { tags: ['property'] }, () => {
  const words = (address: string): number[] => {
    const parts = ipaddr.process(address).toByteArray().slice(0, 8)
    const read = (at: number): number => parts.slice(at, at + 4).reduce((sum, byte) => sum * 256 + byte, 0)
    return parts.length === 4 ? [read(0)] : [read(0), read(4)]
  }
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => void expect(parseIp(address)).toEqual(words(address))),
  )
})

test('what is an address is decided as Node decides it', { tags: ['property'] }, () => {
  const texts = fc.oneof(
    fc.string({ unit: fc.constantFrom('0', '1', '25', 'a', 'F', 'g', ':', '::', '.', '1.2.3.4', '%', '%e0', ' ') }),
    // One character of an address is replaced, inserted or removed.
    fc
      .tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(40), fc.nat(1), fc.constantFrom('', '0', ':', '.', 'f', '%', '-'))
      .map(([address, at, removed, put]) => address.slice(0, at) + put + address.slice(at + removed)),
  )
  fc.assert(fc.property(texts, (text) => void expect(parseIp(text) !== null, text).toBe(isIP(text) !== 0)))
  for (const text of [
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '1:2:3:4::5:6:7:8',
    '1:2:3:4:5:6:1.2.3.4',
    '::1:',
    ':1::',
    '1::%',
  ])
    expect(parseIp(text) !== null, text).toBe(isIP(text) !== 0)
})

test('a table finds what a search through its ranges finds', { tags: ['property'] }, () => {
  const range = fc.tuple(fc.nat(2000), fc.nat(40), fc.nat(1))
  const format = (number: number): string => `10.0.${number >> 8}.${number & 255}`
  fc.assert(
    fc.property(fc.array(range), fc.nat(2100), (all, wanted) => {
      const free = all.filter(([from, size], i) => all.slice(0, i).every(([f, s]) => from > f + s || from + size < f))
      const ranges = free.map(([from, size, n]) => ({
        from: format(from),
        to: format(from + size),
        asn: NETWORKS[n].asn,
      }))
      const made = open(writeNetworkTable({ source: '', date: '' }, NETWORKS, ranges))
      const [, , expected] = free.find(([from, size]) => wanted >= from && wanted <= from + size) ?? []
      expect(made.find(format(wanted))).toEqual(expected === undefined ? null : NETWORKS[expected])
    }),
  )
})

test.each([
  ['cut', (content: Uint8Array) => content.subarray(0, -4)],
  ['empty', () => new Uint8Array(0)],
  ['of another kind', () => Buffer.from('{"a": "a ruleset"}  ')],
])('a file that is %s is refused', (_, change) => {
  expect(() => open(change(bytes))).toThrow(/not a table of networks|is cut/)
})

test('each flipped bit of a file is noticed', () => {
  for (let bit = 0; bit < bytes.length * 8; bit += 7) {
    const changed = Uint8Array.from(bytes)
    changed[bit >> 3] ^= 1 << (bit & 7)
    expect(() => open(changed)).toThrow()
  }
})

test.each([
  { from: '203.0.113.9', to: '2001:db8::', asn: 64496 },
  { from: 'a', to: 'b', asn: 64496 },
  { from: '192.0.2.0', to: '192.0.2.255', asn: 64511 },
  { from: '203.0.113.9', to: '203.0.114.9', asn: 64497 },
])('$from to $to of AS$asn cannot be written', (range) => {
  expect(() => writeNetworkTable({ source: '', date: '' }, NETWORKS, [...RANGES, range])).toThrow(/range/)
})

test('the own table names its day, and has an address of each network', () => {
  const own = openOwnNetworks()
  expect(own.origin.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  const found = own.networks.map(({ asn }) => own.find(own.findAddress(asn) ?? '')?.asn)
  expect(found).toEqual(own.networks.map(({ asn }) => asn))
})

test('NETWORKS_FILE that is not a database is refused', async () => {
  const file = `${writeFolder({ 'a.mmdb': 'not a database' })}/a.mmdb`
  await expect(openNetworks(file)).rejects.toThrow(/^NETWORKS_FILE: .*a\.mmdb is not a database in MMDB format/)
})
