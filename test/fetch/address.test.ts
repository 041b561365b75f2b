import { describe, expect, test } from 'vitest'
import { findBlockedReason, isAllowed, isSameAddress, parseAddress, parseAllowed } from '../../src/fetch/address.ts'

describe('the address check', () => {
  // The last address before a block, the first and the last of the block, and the first after it.
  test.each([
    ['-', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.31.195.255', '192.31.196.0', '192.31.196.255', '192.31.197.0'],
    ['192.52.192.255', '192.52.193.0', '192.52.193.255', '192.52.194.0'],
    ['192.88.98.255', '192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['192.175.47.255', '192.175.48.0', '192.175.48.255', '192.175.49.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['223.255.255.255', '224.0.0.0', '255.255.255.255', '-'],
    ['-', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
    ['2000:ffff::', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    ['2001:db7:ffff::', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
    ['2001:ffff::', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    ['2620:4f:7fff::', '2620:4f:8000::', '2620:4f:8000:ffff::', '2620:4f:8001::'],
    ['3ffe:ffff::', '3fff::', '3fff:fff:ffff::', '3fff:1000::'],
    ['3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '-'],
    ['2606::5efd:0:0', '2606::5efe:0:0', '2606::5efe:ffff:ffff', '2606::5eff:0:0'],
    ['2606::1ff:5efe:0:0', '2606::200:5efe:0:0', '2606::200:5efe:ffff:ffff', '2606::201:5efe:0:0'],
  ])('before %s, first %s, last %s, after %s', (before, first, last, after) => {
    for (const address of [before, after].filter((text) => text !== '-'))
      expect(findBlockedReason(address), address).toBeNull()
    for (const address of [first, last]) expect(findBlockedReason(address), address).toEqual(expect.any(String))
  })

  test.each([
    '',
    'example.org',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '8.8.8.256',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    '2606:4700::1::',
    'not-an-ip',
  ])('%j is not an address, so it is blocked', (text) => {
    expect(parseAddress(text)).toBeNull()
    expect(findBlockedReason(text)).toBe('not an address')
  })

  test.each(['8.8.8.8', '2606:4700::1', '[2606:4700::1]'])('%s is public', (text) => {
    expect(findBlockedReason(text)).toBeNull()
  })
})

test.each([
  ['1.2.3.4', '1.2.3.4', true],
  ['::ffff:1.2.3.4', '1.2.3.4', true],
  ['::ffff:102:304', '::ffff:1.2.3.4', true],
  ['2606:4700:0:0::1', '[2606:4700::1]', true],
  ['2606:4700::1', '2606:4700::2', false],
  ['1.2.3.4', '1.2.3.5', false],
  ['', '', false],
  ['', '1.2.3.4', false],
  ['name', 'name', false],
])('%j and %j are the same address: %s', (a, b, isSame) => {
  expect(isSameAddress(a, b)).toBe(isSame)
  expect(isSameAddress(b, a)).toBe(isSame)
})

describe('addresses that an operator allows', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', 1, true],
    ['127.0.0.1', '127.0.0.2', 1, false],
    ['127.0.0.1', '[::ffff:127.0.0.1]', 1, false],
    ['127.0.0.1:8080', '127.0.0.1', 8080, true],
    ['127.0.0.1:8080', '127.0.0.1', 80, false],
    ['127.0.0.0/8', '127.255.0.1', 65_535, true],
    ['127.0.0.0/8', '128.0.0.1', 80, false],
    ['10.0.0.0/8:80', '10.9.9.9', 80, true],
    ['10.0.0.0/8:80', '10.9.9.9', 81, false],
    ['0.0.0.0/0', '169.254.169.254', 80, true],
    ['0.0.0.0/0', '::1', 80, false],
    ['[::1]', '::1', 80, true],
    ['[::1]', '[::1]', 80, true],
    ['[::1]:3000', '::1', 80, false],
    ['[fd00::/8]', 'fd00::1', 80, null],
    ['[fd00::]/8', 'fd12::1', 80, true],
    ['[fd00::]/8:80', 'fd12::1', 81, false],
    ['127.0.0.1', 'localhost', 80, false],
  ])('%s allows %s on port %i: %s', (entry, address, port, opens) => {
    const allowed = parseAllowed(entry)
    expect(allowed === null ? null : isAllowed([allowed], address, port)).toBe(opens)
  })

  test.each([
    '',
    'localhost',
    'example.org:80',
    '127.1',
    '::1',
    '[127.0.0.1]',
    '[::1',
    '127.0.0.1/33',
    '[::1]/129',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:',
    '127.0.0.1/',
    '127.0.0.1:80/8',
    '[fe80::1%eth0]',
    ' 127.0.0.1',
    '127.0.0.1 ',
    '*',
    '0177.0.0.1',
  ])('%j is not a valid entry', (entry) => {
    expect(parseAllowed(entry)).toBeNull()
  })

  test('no private address is allowed by default', () => {
    expect(isAllowed([], '127.0.0.1', 80)).toBe(false)
  })
})
