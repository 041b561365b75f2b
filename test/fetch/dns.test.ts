import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { lookUpDns, lookUpName } from '../../src/fetch/dns.ts'
import { openResolver, type Resolver } from '../../src/fetch/resolver.ts'
import { type Answerer, openAnswerer, type Zone } from '../support/dns-answerer.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'

let answerer: Answerer
const never = new AbortController().signal
const HOST = 'www.example.com'

beforeEach(async () => {
  answerer = await openAnswerer()
})
afterEach(() => answerer.close())

function open(zone: Zone = {}): Resolver {
  Object.assign(answerer.zone, zone)
  return openResolver({ servers: [answerer.address], ttlMs: 0 })
}

const sortedQueries = (): string[] => [...answerer.questions].sort()
const waitForQueries = (count: number): Promise<void> =>
  vi.waitFor(() => expect(answerer.questions.length).toBeGreaterThanOrEqual(count), { timeout: 10_000, interval: 5 })

describe('records that rules read', () => {
  const lookUp = (host: string, wanted: string[], zone: Zone = {}): ReturnType<typeof lookUpDns> =>
    lookUpDns(host, { wanted, resolver: open(zone), signal: new AbortController().signal })

  test.each<[what: string, host: string, wanted: string[], questions: string[]]>([
    ['name servers always', HOST, [], ['example.com NS']],
    ['of the host', HOST, ['a', 'aaaa', 'cname'], ['example.com NS', `${HOST} A`, `${HOST} AAAA`, `${HOST} CNAME`]],
    ['of the domain', HOST, ['soa', 'mx', 'ns'], ['example.com MX', 'example.com NS', 'example.com SOA']],
    ['of both', HOST, ['txt'], ['example.com NS', 'example.com TXT', `${HOST} TXT`]],
    ['labelled, of both', HOST, ['TXT _Vercel'], ['_vercel.example.com TXT', `_vercel.${HOST} TXT`, 'example.com NS']],
    ['labelled, of the host', HOST, ['cname _x'], [`_x.${HOST} CNAME`, 'example.com NS']],
    [
      'the host is the domain',
      'example.com',
      ['txt', 'txt _v', 'txt'],
      ['_v.example.com TXT', 'example.com NS', 'example.com TXT'],
    ],
    ['two labels as suffix', 'a.b.example.co.uk', ['mx'], ['example.co.uk MX', 'example.co.uk NS']],
    [
      'below a private suffix',
      'x.a.github.io',
      ['soa', 'txt'],
      ['a.github.io TXT', 'github.io NS', 'github.io SOA', 'x.a.github.io TXT'],
    ],
    ['a suffix', 'co.uk', ['txt'], ['co.uk NS', 'co.uk TXT']],
    ['unknown types', HOST, ['caa', '__proto__', 'constructor', ''], ['example.com NS']],
    ['a literal', '93.184.215.14', ['a', 'txt'], []],
    ['a literal of IPv6', '2606:4700::1', ['a', 'txt'], []],
  ])('the exact queries: %s', async (_, host, wanted, questions) => {
    await lookUp(host, wanted)
    expect(sortedQueries()).toEqual(questions)
  })

  test.each<[what: string, wanted: string[], Zone, records: Record<string, string[]>]>([
    ['no records', ['a', 'cname', 'txt', 'txt _v', 'caa'], {}, { ns: [], a: [], cname: [], txt: [], 'txt _v': [] }],
    [
      'a query that fails',
      ['a', 'mx'],
      { [`${HOST} A`]: 'servfail', 'example.com MX': ['1 m.example.com'] },
      { ns: [], a: [], mx: ['m.example.com'] },
    ],
    ['keys in lower case', ['TXT _V'], { [`_v.${HOST} TXT`]: ['X=1'] }, { ns: [], 'txt _v': ['X=1'] }],
    [
      'records of both names, without duplicates',
      ['txt'],
      { [`${HOST} TXT`]: ['a', 'b'], 'example.com TXT': ['b', 'c'] },
      { ns: [], txt: ['a', 'b', 'c'] },
    ],
    [
      'only public addresses',
      ['a', 'aaaa'],
      { [`${HOST} A`]: ['10.0.0.1', '76.76.21.21'], [`${HOST} AAAA`]: ['::1', '2606:4700::1'] },
      { ns: [], a: ['76.76.21.21'], aaaa: ['2606:4700::1'] },
    ],
    ['name servers', [], { 'example.com NS': ['NS1.example.net'] }, { ns: ['ns1.example.net'] }],
  ])('found: %s', async (_, wanted, zone, records) => {
    expect(await lookUp(HOST, wanted, zone)).toEqual(records)
  })

  const [ONE, TWO] = ['one.example.net', 'two.example.org']
  const many = Array.from({ length: 2000 }, (_, at) => (at === 0 ? HOST : `n${at}.example.net`))

  test.each<[what: string, aliases: Record<string, string>, chain: string[], questions: number]>([
    ['none', {}, [], 1],
    ['a chain', { [HOST]: ONE, [ONE]: TWO }, [ONE, TWO], 3],
    ['its own alias', { [HOST]: HOST }, [HOST], 1],
    ['a loop', { [HOST]: ONE, [ONE]: HOST }, [ONE, HOST], 2],
    ['a loop later in the chain', { [HOST]: ONE, [ONE]: TWO, [TWO]: ONE }, [ONE, TWO], 3],
    ['a name that is not public', { [HOST]: 'printer.lan', 'printer.lan': 'secret.lan' }, ['printer.lan'], 1],
    ['a private suffix', { [HOST]: 'a.github.io', 'a.github.io': ONE }, ['a.github.io', ONE], 3],
    ['underscores', { [HOST]: '_a.example.net', '_a.example.net': ONE }, ['_a.example.net', ONE], 3],
    ['8 names', Object.fromEntries(many.map((name, at) => [name, many[at + 1] ?? ONE])), many.slice(1, 9), 8],
  ])('aliases: %s', async (_, aliases, chain, questions) => {
    const zone = Object.fromEntries(Object.entries(aliases).map(([from, to]) => [`${from} CNAME`, [to]]))
    expect(await lookUp(HOST, ['cname'], zone)).toEqual({ ns: [], cname: chain })
    expect(answerer.questions.filter((question) => question.endsWith('CNAME'))).toHaveLength(questions)
  })

  test('the result contains the records received before the abort, and no keys for the others', async () => {
    const resolver = open({
      'example.com NS': ['ns1.example.net'],
      [`${HOST} A`]: 'silent',
      [`${HOST} CNAME`]: ['a.example.net'],
      'a.example.net CNAME': 'silent',
      [`${HOST} TXT`]: ['proof=1'],
      'example.com TXT': 'silent',
      [`_v.${HOST} TXT`]: 'silent',
    })
    const before = openHandles()
    const abort = new AbortController()
    const found = lookUpDns(HOST, { wanted: ['a', 'mx', 'cname', 'txt', 'txt _v'], resolver, signal: abort.signal })
    await waitForQueries(9)
    await resolver.records('soa', HOST, never) // The earlier answers have been received by then, too.
    abort.abort()
    expect(await found).toEqual({ ns: ['ns1.example.net'], mx: [], cname: ['a.example.net'], txt: ['proof=1'] })
    await nothingOpenedSince(before)
  })

  test('many concurrent queries do not cause a listener warning', async () => {
    const onWarning = vi.fn()
    process.on('warning', onWarning)
    const wanted = Array.from({ length: 20 }, (_, at) => `txt _${at}`)
    await lookUpDns(HOST, { wanted, resolver: open(), signal: new AbortController().signal })
    process.off('warning', onWarning)
    expect(answerer.questions).toHaveLength(41)
    expect(onWarning).not.toHaveBeenCalled()
  })

  test('no queries are sent when the signal has already aborted', async () => {
    expect(await lookUpDns(HOST, { wanted: ['a'], resolver: open(), signal: AbortSignal.abort() })).toEqual({})
    expect(answerer.questions).toEqual([])
  })
})

describe('the name of an address', () => {
  const ADDRESS = '203.0.113.7'
  const REVERSE = '7.113.0.203.in-addr.arpa PTR'
  const SIX = '2001:db8::7'
  const REVERSE_SIX = `7.0.0.0.${'0.'.repeat(20)}8.b.d.0.1.0.0.2.ip6.arpa PTR`
  const lookUp = (address: string, zone: Zone): Promise<readonly string[]> =>
    lookUpName(address, { resolver: open(zone), signal: never })

  test.each<[what: string, zone: Zone, names: string[], address?: string]>([
    [
      'that has the address',
      { [REVERSE]: ['Web7.Example.com'], 'web7.example.com A': [ADDRESS] },
      ['web7.example.com'],
    ],
    [
      'with other addresses too',
      { [REVERSE]: ['a.example.com'], 'a.example.com A': ['192.0.2.1', ADDRESS] },
      ['a.example.com'],
    ],
    ['of IPv6', { [REVERSE_SIX]: ['a.example.com'], 'a.example.com AAAA': ['2001:DB8:0::7'] }, ['a.example.com'], SIX],
    ['that has another address', { [REVERSE]: ['a.example.com'], 'a.example.com A': ['192.0.2.1'] }, []],
    ['that does not exist', { [REVERSE]: ['a.example.com'] }, []],
    [
      'that is not public',
      { [REVERSE]: ['printer.lan', 'localhost'], 'printer.lan A': [ADDRESS], 'localhost A': [ADDRESS] },
      [],
    ],
    ['with a terminal escape', { [REVERSE]: ['\u001b[2Ja.example.com'], '\u001b[2Ja.example.com A': [ADDRESS] }, []],
    ['with a label that is too long', { [REVERSE]: [`${'a'.repeat(64)}.example.com`] }, []],
    ['with odd characters', { [REVERSE]: ['<b>.example.com'], '<b>.example.com A': [ADDRESS] }, []],
    [
      'the second one',
      { [REVERSE]: ['b.example.com', 'a.example.com'], 'a.example.com A': [ADDRESS] },
      ['a.example.com'],
    ],
    [
      'below an internationalized suffix',
      { [REVERSE]: ['xn--e1afmkfd.xn--p1ai'], 'xn--e1afmkfd.xn--p1ai A': [ADDRESS] },
      ['xn--e1afmkfd.xn--p1ai'],
    ],
    ['none', {}, []],
    ['of a server that fails', { [REVERSE]: 'servfail' }, []],
  ])('%s', async (_, zone, names, address = ADDRESS) => {
    expect(await lookUp(address, zone)).toEqual(names)
  })

  test('names inside and broken Punycode are not queried, and of many only the first ones', async () => {
    const many = Array.from({ length: 20 }, (_, i) => `n${i}.example.com`)
    expect(await lookUp(ADDRESS, { [REVERSE]: ['inner.local', 'xn--a.com', ...many] })).toEqual([])
    expect(sortedQueries()).toEqual([REVERSE, 'n0.example.com A', 'n1.example.com A'].sort())
  })
})
