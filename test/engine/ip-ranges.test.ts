import { BlockList, isIPv4 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRange, listRanges } from '../../src/engine/text/ip-ranges.ts'

describe('listRanges', () => {
  test.each([
    ['13.32.7.9', '13.0.0.0/8', '13.32.7.9/32', '13.32.0.0/15'],
    ['255.255.255.255', '255.0.0.0/8', '255.255.255.255/32', '255.255.255.252/30'],
    ['::ffff:13.32.7.9', '13.0.0.0/8', '13.32.7.9/32', '13.32.0.0/15'],
    ['2600:9000:2fff:0:1::1', '2600::/16', '2600:9000:2fff::/64', '2600:9000:2000::/35'],
    ['2001:db8:0:42::1', '2001::/16', '2001:db8:0:42::/64', '2001:db8:0:40::/58'],
  ])('%s: from %s to %s', (address, first, last, between) => {
    const ranges = listRanges(address)
    expect([ranges[0], ranges.at(-1)]).toEqual([first, last])
    expect(ranges).toContain(between)
  })

  test.each(['', 'localhost', '13.32.7', '13.32.7.256', '13.32.7.9/8', '2600:::1'])('none for %j', (text) => {
    expect(listRanges(text)).toEqual([])
  })

  test('each contains the address, as the module `net` reads it', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        for (const range of listRanges(address)) {
          const [start, length] = range.split('/')
          const list = new BlockList()
          list.addSubnet(start, Number(length), isIPv4(start) ? 'ipv4' : 'ipv6')
          expect(list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'), `${address} in ${range}`).toBe(true)
          expect(isRange(range)).toBe(true)
        }
      }),
    )
  })
})

test.each([
  '13.33.0.0/15',
  '13.32.0.0/7',
  '13.32.0.0/33',
  '13.32.0.0',
  '2600:9000:2000::/34',
  '2600:9000:02000::/35',
  '/8',
])('isRange of %j: no', (text) => {
  expect(isRange(text)).toBe(false)
})
