import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { openResolver, type Resolver } from '../../src/fetch/resolver.ts'
import { codePoint } from '../support/code-point.ts'
import { type Answerer, openAnswerer, type Zone } from '../support/dns-answerer.ts'
import { nothingOpenedSince, openedSince, openHandles } from '../support/open-handles.ts'
import { countRuns } from '../support/property-runs.ts'
import { useSteadyClock } from '../support/steady-clock.ts'

let answerer: Answerer
const never = new AbortController().signal
const HOST = 'www.example.com'
/** No test waits so long for a name server, so a query that ignores its signal does not end in time. */
const NEVER_MS = 300_000

beforeEach(async () => {
  answerer = await openAnswerer()
})
afterEach(() => answerer.close())

function open(zone: Zone = {}, options: { timeoutMs?: number; ttlMs?: number } = {}): Resolver {
  Object.assign(answerer.zone, zone)
  return openResolver({ servers: [answerer.address], ...options })
}

const sortedQueries = (): string[] => [...answerer.questions].sort()
const waitForQueries = (count: number): Promise<void> =>
  vi.waitFor(() => expect(answerer.questions.length).toBeGreaterThanOrEqual(count), { timeout: 10_000, interval: 5 })

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
    ['a name that is unknown to one server while another fails', HOST, { [`${HOST} A`]: 'servfail' }],
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

  test.each<[what: string, Zone]>([
    ['servers that fail', { [`${HOST} A`]: 'servfail', [`${HOST} AAAA`]: 'servfail' }],
    ['servers that do not respond', { [`${HOST} A`]: 'silent', [`${HOST} AAAA`]: 'silent' }],
    [
      'a server that fails for one family, without addresses of the other',
      { [`${HOST} A`]: 'servfail', [`${HOST} AAAA`]: [] },
    ],
  ])('unknown, in the same words: %s', async (_, zone) => {
    const found = open(zone, { timeoutMs: 50 }).addresses(HOST, never)
    const { message } = new ScanError('name_not_found')
    await expect(found).rejects.toMatchObject({ name: 'ScanError', reason: 'lookup_failed', message })
  })

  test('unknown when the name server is down', async () => {
    const closed = await openAnswerer()
    await closed.close()
    const resolver = openResolver({ servers: [closed.address], timeoutMs: 50 })
    await expect(resolver.addresses(HOST, never)).rejects.toMatchObject({ reason: 'lookup_failed' })
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

test('queries for garbage return no records and never throw', { tags: ['property'] }, async () => {
  const resolver = open({}, { timeoutMs: 50 })
  const type = fc.constantFrom('a', 'aaaa', 'cname', 'ns', 'soa', 'mx', 'txt', 'any', '__proto__', 'constructor', '')
  await fc.assert(
    fc.asyncProperty(type, fc.string({ unit: codePoint, maxLength: 80 }), async (type, name) => {
      expect(await resolver.records(type, name, never)).toEqual([])
    }),
    { numRuns: countRuns(200) },
  )
})

describe('a signal that aborts', () => {
  const silent: Zone = { [`${HOST} A`]: 'silent', [`${HOST} AAAA`]: 'silent', [`${HOST} TXT`]: 'silent' }

  test.each<
    [what: string, zone: Zone, questions: number, look: (resolver: Resolver, signal: AbortSignal) => Promise<unknown>]
  >([
    ['addresses', silent, 2, (resolver, signal) => resolver.addresses(HOST, signal)],
    [
      'addresses, one family answered',
      { ...silent, [`${HOST} A`]: ['1.2.3.4'] },
      2,
      (resolver, signal) => resolver.addresses(HOST, signal),
    ],
    ['records', silent, 1, (resolver, signal) => resolver.records('txt', HOST, signal)],
  ])('%s: rejects immediately with its reason and leaves no handle', async (_, zone, questions, look) => {
    const resolver = open(zone, { timeoutMs: NEVER_MS })
    const before = openHandles()
    const abort = new AbortController()
    const outcome = look(resolver, abort.signal).catch((error) => error)
    await waitForQueries(questions)
    expect(openedSince(before)).not.toEqual([])
    const reason = new Error('enough')
    abort.abort(reason)
    expect(await outcome).toBe(reason)
    await nothingOpenedSince(before)
  })

  test('no timer remains after an answer', async () => {
    const resolver = open({ [`${HOST} A`]: ['1.2.3.4'], [`${HOST} AAAA`]: [] })
    const [started, stopped] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    await resolver.addresses(HOST, never)
    expect(started).toHaveBeenCalledOnce()
    expect(stopped).toHaveBeenCalledWith(started.mock.results[0].value)
    vi.restoreAllMocks()
  })

  test('a timeout of 100 ms', async () => {
    const found = open(silent, { timeoutMs: NEVER_MS }).addresses(HOST, AbortSignal.timeout(100))
    await expect(found).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('no queries are sent when the signal has already aborted', async () => {
    const resolver = open(silent)
    await expect(resolver.addresses(HOST, AbortSignal.abort('gone'))).rejects.toBe('gone')
    await expect(resolver.records('a', HOST, AbortSignal.abort('gone'))).rejects.toBe('gone')
    await open({ 'other.example.com A': ['1.2.3.4'] }).addresses('other.example.com', never)
    expect(sortedQueries()).toEqual(['other.example.com A', 'other.example.com AAAA'])
  })

  test('other callers that wait for the same answer still get it', async () => {
    let isAnswered = false
    const resolver = open({ [`${HOST} TXT`]: () => (isAnswered ? ['late'] : 'silent') }, { timeoutMs: 300 })
    const abort = new AbortController()
    const leaving = resolver.records('txt', HOST, abort.signal).catch((error) => error)
    const staying = resolver.records('txt', HOST, never)
    await waitForQueries(1)
    isAnswered = true
    abort.abort('gone')
    expect(await leaving).toBe('gone')
    expect(await staying).toEqual(['late'])
  })
})

describe('the cache', () => {
  const A = `${HOST} A`

  test.each<[what: string, ttl: number, ttlMs: number | undefined, questions: number]>([
    ['keeps an answer for its TTL', 60, undefined, 1],
    ['does not keep an answer with TTL 0', 0, undefined, 2],
    ['keeps nothing when disabled', 60, 0, 2],
  ])('%s', async (_, ttl, ttlMs, questions) => {
    let turn = 0
    const resolver = open({ [A]: () => ({ texts: [`1.2.3.${++turn}`], ttl }) }, ttlMs === undefined ? {} : { ttlMs })
    expect(await resolver.addresses(HOST, never)).toEqual(['1.2.3.1'])
    expect(await resolver.addresses(HOST, never)).toEqual([`1.2.3.${questions}`])
    expect(answerer.questions.filter((question) => question === A)).toHaveLength(questions)
  })

  test('keeps an answer until its time is up', async () => {
    const resolver = open({ [A]: ['1.2.3.4'] }, { ttlMs: 1000 })
    const clock = useSteadyClock()
    for (const [at, questions] of [
      [0, 1],
      [999, 1],
      [1001, 2],
    ]) {
      clock.now = 1000 + at
      await resolver.records('a', HOST, never)
      expect(answerer.questions).toHaveLength(questions)
    }
  })

  test('concurrent callers share one query', async () => {
    const resolver = open({ [A]: ['1.2.3.4'] }, { ttlMs: 0 })
    const all = await Promise.all(Array.from({ length: 10 }, () => resolver.addresses(HOST.toUpperCase(), never)))
    expect(all.flat()).toEqual(Array(10).fill('1.2.3.4'))
    expect(answerer.questions).toHaveLength(2)
  })

  test('does not keep a failure', async () => {
    const resolver = open({ [A]: 'servfail' })
    await expect(resolver.addresses(HOST, never)).rejects.toThrow()
    answerer.zone[A] = ['1.2.3.4']
    expect(await resolver.addresses(HOST, never)).toEqual(['1.2.3.4'])
  })

  test('keeps up to 1,000 answers, evicts the oldest first, and keeps no long answers', async () => {
    const names = Array.from({ length: 1001 }, (_, at) => `n${at}.example.com`)
    const resolver = open({
      ...Object.fromEntries(names.map((name) => [`${name} TXT`, [name]])),
      [`${HOST} TXT`]: Array(20).fill('x'.repeat(250)),
    })
    const ask = async (name: string): Promise<number> => (await resolver.records('txt', name, never)).length
    for (const name of names) await ask(name)
    answerer.questions.length = 0
    for (const name of [names[1000], names[1], names[0]]) expect(await ask(name)).toBe(1)
    for (const name of [HOST, HOST]) expect(await ask(name)).toBe(20)
    expect(answerer.questions).toEqual([`${names[0]} TXT`, `${HOST} TXT`, `${HOST} TXT`])
  })
})
