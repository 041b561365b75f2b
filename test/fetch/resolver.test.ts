import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openResolver, type Resolver } from '../../src/fetch/resolver.ts'
import { type Answerer, openAnswerer, type Zone } from '../support/dns-answerer.ts'

let answerer: Answerer
const never = new AbortController().signal
const HOST = 'www.example.com'

beforeEach(async () => {
  answerer = await openAnswerer()
})
afterEach(() => answerer.close())

function open(zone: Zone = {}, options: { timeoutMs?: number; ttlMs?: number } = {}): Resolver {
  Object.assign(answerer.zone, zone)
  return openResolver({ servers: [answerer.address], ...options })
}

const sortedQueries = (): string[] => [...answerer.questions].sort()

describe('addresses of a host', () => {
  test.each<[what: string, Zone, addresses: string[]]>([
    [
      'both families, IPv4 first',
      { [`${HOST} AAAA`]: ['2606:4700::1'], [`${HOST} A`]: ['1.2.3.4', '1.2.3.5'] },
      ['1.2.3.4', '1.2.3.5', '2606:4700::1'],
    ],
    ['only IPv4', { [`${HOST} A`]: ['1.2.3.4'], [`${HOST} AAAA`]: [] }, ['1.2.3.4']],
    ['only IPv6', { [`${HOST} A`]: [], [`${HOST} AAAA`]: ['2606:4700::1'] }, ['2606:4700::1']],
    ['one family is unknown', { [`${HOST} A`]: ['1.2.3.4'] }, ['1.2.3.4']],
    ['one family fails', { [`${HOST} A`]: 'servfail', [`${HOST} AAAA`]: ['2606:4700::1'] }, ['2606:4700::1']],
    ['one family gets no response', { [`${HOST} A`]: ['1.2.3.4'], [`${HOST} AAAA`]: 'silent' }, ['1.2.3.4']],
    ['unchecked', { [`${HOST} A`]: ['127.0.0.1', '1.2.3.4'] }, ['127.0.0.1', '1.2.3.4']],
  ])('%s', async (_, zone, addresses) => {
    expect(await open(zone).addresses(HOST, never)).toEqual(addresses)
    expect(sortedQueries()).toEqual([`${HOST} A`, `${HOST} AAAA`])
  })

  test.each<[what: string, host: string, Zone]>([
    ['an unknown name', HOST, {}],
    ['a name without addresses', HOST, { [`${HOST} A`]: [], [`${HOST} AAAA`]: [] }],
    ['servers that fail', HOST, { [`${HOST} A`]: 'servfail', [`${HOST} AAAA`]: 'servfail' }],
    ['servers that do not respond', HOST, { [`${HOST} A`]: 'silent', [`${HOST} AAAA`]: 'silent' }],
    ['an empty name', '', {}],
    ['dots', '..', {}],
    ['a label that is too long', `${'a'.repeat(64)}.com`, {}],
    ['a name that is too long', `${'a.'.repeat(200)}com`, {}],
    ['a space', 'a b.com', {}],
    ['a zero byte', 'a\0b.com', {}],
    ['half a character', '\ud800.com', {}],
    ['a literal', '[::1]', {}],
  ])('not found: %s', async (_, host, zone) => {
    const found = open(zone, { timeoutMs: 50 }).addresses(host, never)
    await expect(found).rejects.toMatchObject({ name: 'ScanError', reason: 'name_not_found' })
  })

  test('not found when the name server is down', async () => {
    const closed = await openAnswerer()
    await closed.close()
    const resolver = openResolver({ servers: [closed.address], timeoutMs: 50 })
    await expect(resolver.addresses(HOST, never)).rejects.toMatchObject({ reason: 'name_not_found' })
    expect(await resolver.records('txt', HOST, never)).toEqual([])
  })
})

test.each<[type: string, answer: string[], records: string[]]>([
  ['A', ['1.2.3.4'], ['1.2.3.4']],
  ['AAAA', ['2620:127:f00f:5:0:0:0:0'], ['2620:127:f00f:5::']],
  ['CNAME', ['Shops.MyShopify.com'], ['shops.myshopify.com']],
  ['NS', ['NS1.example.net', 'ns2.example.net'], ['ns1.example.net', 'ns2.example.net']],
  ['SOA', ['NS1.example.net Admin.example.net'], ['ns1.example.net admin.example.net']],
  ['MX', ['20 b.example.net', '10 A.example.net'], ['a.example.net', 'b.example.net']],
  ['MX', ['0 .'], []],
  ['TXT', ['Some-Proof=X', `long ${'x'.repeat(300)}`], ['Some-Proof=X', `long ${'x'.repeat(300)}`]],
  ['CAA', [], []],
])('records of type %s: %j', async (type, answer, records) => {
  const resolver = open({ [`${HOST} ${type}`]: answer })
  expect(await resolver.records(type.toLowerCase(), HOST, never)).toEqual(records)
})

test('queries for garbage return no records and never throw', async () => {
  const resolver = open({}, { timeoutMs: 50 })
  const type = fc.constantFrom('a', 'aaaa', 'cname', 'ns', 'soa', 'mx', 'txt', 'any', '__proto__', 'constructor', '')
  await fc.assert(
    fc.asyncProperty(type, fc.string({ unit: 'binary', maxLength: 80 }), async (type, name) => {
      expect(await resolver.records(type, name, never)).toEqual([])
    }),
    { numRuns: 200 },
  )
})
