import { promises } from 'node:dns'
import { raceSignal } from '../async/race-signal.ts'
import { ScanError } from '../errors.ts'

/** Queries name servers. */
export interface Resolver {
  /**
   * Finds the addresses of a host, A before AAAA, without checking them.
   * @throws ScanError `name_not_found` when there is none, or `lookup_failed` when that is unknown because name servers failed; the
   * signal's reason when it aborts
   */
  addresses(host: string, signal: AbortSignal): Promise<readonly string[]>
  /**
   * Finds the records of one type (`a` `aaaa` `cname` `ns` `soa` `mx` `txt`, and `ptr` of an address) as text. Returns [] when there are none or no
   * name server responds. Names are in lower case without a trailing dot. `soa` gives server and mailbox; `mx` gives the
   * exchanges only, in order of preference.
   * @throws only the signal's reason, when it aborts
   */
  records(type: string, name: string, signal: AbortSignal): Promise<readonly string[]>
}

interface ResolverOptions {
  /** Name servers as `address[:port]`; by default those of the system. */
  readonly servers?: readonly string[] | undefined
  /** Timeout for one attempt at one server. The second attempt gets twice as long. */
  readonly timeoutMs?: number
  /** Maximum time for which an answer is cached; 0 disables the cache. */
  readonly ttlMs?: number
}

interface DnsAnswer {
  readonly texts: readonly string[]
  /** TTL of the records. */
  readonly ttlMs: number
}

interface CachedAnswer {
  readonly texts: readonly string[]
  readonly until: number
}

/** A query that has been sent. It is cancelled when the last caller stops waiting for it. */
interface PendingQuery {
  readonly answer: Promise<DnsAnswer>
  readonly servers: promises.Resolver
  waiting: number
}

const TRIES = 2
/** Extra time for the second family after the first has answered: some name servers drop queries of unknown types. */
const SECOND_FAMILY_MS = 500
const MAX_CACHED_ANSWERS = 1000
/** Longer answers are not cached, so that the size of the cache is limited as well as its number of entries. */
const MAX_CACHED_CHARACTERS = 4096

const READERS: ReadonlyMap<string, (servers: promises.Resolver, name: string) => Promise<DnsAnswer>> = new Map([
  ['a', async (servers, name) => fromAddresses(await servers.resolve4(name, { ttl: true }))],
  ['aaaa', async (servers, name) => fromAddresses(await servers.resolve6(name, { ttl: true }))],
  ['cname', async (servers, name) => fromNames(await servers.resolveCname(name))],
  ['ns', async (servers, name) => fromNames(await servers.resolveNs(name))],
  [
    'soa',
    async (servers, name) => {
      const { nsname, hostmaster } = await servers.resolveSoa(name)
      return fromTexts([`${normalizeName(nsname)} ${normalizeName(hostmaster)}`])
    },
  ],
  [
    'mx',
    async (servers, name) => {
      const exchanges = await servers.resolveMx(name)
      return fromNames(exchanges.sort((a, b) => a.priority - b.priority).map(({ exchange }) => exchange))
    },
  ],
  ['ptr', async (servers, address) => fromNames(await servers.reverse(address))],
  ['txt', async (servers, name) => fromTexts((await servers.resolveTxt(name)).map((chunks) => chunks.join('')))],
])

function fromAddresses(records: readonly { address: string; ttl: number }[]): DnsAnswer {
  return { texts: records.map(({ address }) => address), ttlMs: 1000 * Math.min(...records.map(({ ttl }) => ttl)) }
}

/** Omits the root: as a mail exchange it means that the domain does not accept mail (RFC 7505). */
function fromNames(names: readonly string[]): DnsAnswer {
  return fromTexts(names.map(normalizeName).filter((name) => name !== ''))
}

function fromTexts(texts: readonly string[]): DnsAnswer {
  return { texts, ttlMs: Number.POSITIVE_INFINITY }
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Opens a resolver that queries name servers directly: without the hosts file, search domains and libuv's thread pool. */
export function openResolver(options: ResolverOptions = {}): Resolver {
  return new CachingResolver(options)
}

/** Codes of failures of name servers, which say nothing about the name. */
const SERVER_FAILURES: ReadonlySet<string | undefined> = new Set([
  'ESERVFAIL',
  'ETIMEOUT',
  'ECONNREFUSED',
  'EREFUSED',
  'EBADRESP',
])

/** Whether it is unknown if a name has addresses: a server failed, and no other response says that the name does not exist. */
function hasFailed(errors: readonly NodeJS.ErrnoException[]): boolean {
  return errors.some(({ code }) => SERVER_FAILURES.has(code)) && errors.every(({ code }) => code !== 'ENOTFOUND')
}

class CachingResolver implements Resolver {
  readonly #servers: readonly string[] | undefined
  readonly #timeoutMs: number
  readonly #ttlMs: number
  readonly #cached = new Map<string, CachedAnswer>()
  readonly #pending = new Map<string, PendingQuery>()

  constructor({ servers, timeoutMs = 2000, ttlMs = 60_000 }: ResolverOptions) {
    this.#servers = servers
    this.#timeoutMs = timeoutMs
    this.#ttlMs = ttlMs
  }

  async addresses(host: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const others = new AbortController()
    const families = ['a', 'aaaa'].map((type) => this.#query(type, host, others.signal))
    let timer: NodeJS.Timeout | undefined
    const onFirst = (): void => {
      if (!others.signal.aborted) timer = setTimeout(() => others.abort(), SECOND_FAMILY_MS)
    }
    Promise.any(families).then(onFirst, () => {})
    try {
      const settled = await raceSignal(Promise.allSettled(families), signal)
      const addresses = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      if (addresses.length > 0) return addresses
      const errors = settled.flatMap((one) => ('reason' in one ? (one.reason as NodeJS.ErrnoException) : []))
      throw new ScanError(hasFailed(errors) ? 'lookup_failed' : 'name_not_found', { cause: errors.map(String) })
    } finally {
      clearTimeout(timer)
      others.abort()
    }
  }

  async records(type: string, name: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return await this.#query(type, name, signal)
    } catch {
      signal.throwIfAborted()
      return []
    }
  }

  async #query(type: string, name: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const key = `${type} ${name.toLowerCase()}`
    const cached = this.#cached.get(key)
    if (cached !== undefined && performance.now() < cached.until) return cached.texts
    const query = this.#pending.get(key) ?? this.#send(key, type, name)
    query.waiting++
    try {
      const { texts, ttlMs } = await raceSignal(query.answer, signal)
      this.#cache(key, texts, Math.min(ttlMs, this.#ttlMs))
      return texts
    } finally {
      if (--query.waiting === 0) {
        this.#pending.delete(key)
        query.servers.cancel()
      }
    }
  }

  /** Uses a separate channel for each query: cancelling it does not affect others, and no source port is used twice. */
  #send(key: string, type: string, name: string): PendingQuery {
    const servers = new promises.Resolver({ timeout: this.#timeoutMs, tries: TRIES })
    if (this.#servers !== undefined) servers.setServers(this.#servers)
    const read = READERS.get(type) ?? (async () => fromTexts([]))
    const query = { answer: read(servers, name), servers, waiting: 0 }
    this.#pending.set(key, query)
    return query
  }

  #cache(key: string, texts: readonly string[], ttlMs: number): void {
    if (ttlMs <= 0 || texts.join('').length > MAX_CACHED_CHARACTERS) return
    this.#cached.delete(key)
    this.#cached.set(key, { texts, until: performance.now() + ttlMs })
    for (const oldest of this.#cached.keys()) {
      if (this.#cached.size <= MAX_CACHED_ANSWERS) break
      this.#cached.delete(oldest)
    }
  }
}
