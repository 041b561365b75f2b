import { promises } from 'node:dns'
import { race } from '../async/race.ts'
import { ScanError } from '../errors.ts'

/** Asks name servers. */
export interface Resolver {
  /**
   * Addresses of a host, A before AAAA, unchecked.
   * @throws ScanError `name_not_found` when there is none, whatever the reason; the signal's reason once that aborts
   */
  addresses(host: string, signal: AbortSignal): Promise<readonly string[]>
  /**
   * Records of one type (`a` `aaaa` `cname` `ns` `soa` `mx` `txt`) as text; [] when there are none or nobody answers.
   * Names are in lower case without a dot at the end; `soa` is server and mailbox, `mx` the exchange alone, first choice first.
   * @throws the signal's reason once that aborts, nothing else
   */
  records(type: string, name: string, signal: AbortSignal): Promise<readonly string[]>
}

interface ResolverOptions {
  /** Name servers as `address[:port]`; the system's by default. */
  readonly servers?: readonly string[] | undefined
  /** For one try of one server; the second try gets twice as long. */
  readonly timeoutMs?: number
  /** The longest that an answer is kept; 0 keeps none. */
  readonly ttlMs?: number
}

interface Answer {
  readonly texts: readonly string[]
  /** How long the records may be kept, as far as their owner says. */
  readonly ttlMs: number
}

interface Kept {
  readonly texts: readonly string[]
  readonly until: number
}

/** A question on its way; ended as soon as nobody waits for it. */
interface Question {
  readonly answer: Promise<Answer>
  readonly servers: promises.Resolver
  waiting: number
}

const TRIES = 2
/** When one family has answered, the other gets so much longer: some name servers drop what they do not know. */
const OTHER_FAMILY_MS = 500
const MAX_KEPT = 1000
/** Longer answers are not kept: their number is bounded, so is their size. */
const MAX_KEPT_CHARACTERS = 4096

const READERS: ReadonlyMap<string, (servers: promises.Resolver, name: string) => Promise<Answer>> = new Map([
  ['a', async (servers, name) => fromAddresses(await servers.resolve4(name, { ttl: true }))],
  ['aaaa', async (servers, name) => fromAddresses(await servers.resolve6(name, { ttl: true }))],
  ['cname', async (servers, name) => fromNames(await servers.resolveCname(name))],
  ['ns', async (servers, name) => fromNames(await servers.resolveNs(name))],
  [
    'soa',
    async (servers, name) => {
      const { nsname, hostmaster } = await servers.resolveSoa(name)
      return fromTexts([`${plainName(nsname)} ${plainName(hostmaster)}`])
    },
  ],
  [
    'mx',
    async (servers, name) => {
      const exchanges = await servers.resolveMx(name)
      return fromNames(exchanges.sort((a, b) => a.priority - b.priority).map(({ exchange }) => exchange))
    },
  ],
  ['txt', async (servers, name) => fromTexts((await servers.resolveTxt(name)).map((chunks) => chunks.join('')))],
])

function fromAddresses(records: readonly { address: string; ttl: number }[]): Answer {
  return { texts: records.map(({ address }) => address), ttlMs: 1000 * Math.min(...records.map(({ ttl }) => ttl)) }
}

/** The root alone is no name: as an exchange it says that there is none (RFC 7505). */
function fromNames(names: readonly string[]): Answer {
  return fromTexts(names.map(plainName).filter((name) => name !== ''))
}

function fromTexts(texts: readonly string[]): Answer {
  return { texts, ttlMs: Number.POSITIVE_INFINITY }
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

/** Asks the system's name servers, or others. Hosts files, search domains and the pool of threads have no part in it. */
export function openResolver(options: ResolverOptions = {}): Resolver {
  return new KeepingResolver(options)
}

class KeepingResolver implements Resolver {
  readonly #servers: readonly string[] | undefined
  readonly #timeoutMs: number
  readonly #ttlMs: number
  readonly #kept = new Map<string, Kept>()
  readonly #questions = new Map<string, Question>()

  constructor({ servers, timeoutMs = 2000, ttlMs = 60_000 }: ResolverOptions) {
    this.#servers = servers
    this.#timeoutMs = timeoutMs
    this.#ttlMs = ttlMs
  }

  async addresses(host: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const leave = new AbortController()
    const families = ['a', 'aaaa'].map((type) => this.#ask(type, host, leave.signal))
    let timer: NodeJS.Timeout | undefined
    const onFirst = (): void => {
      if (!leave.signal.aborted) timer = setTimeout(() => leave.abort(), OTHER_FAMILY_MS)
    }
    Promise.any(families).then(onFirst, () => {})
    try {
      const settled = await race(Promise.allSettled(families), signal)
      const addresses = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      if (addresses.length > 0) return addresses
      throw new ScanError('name_not_found', { cause: settled.map((one) => String('reason' in one && one.reason)) })
    } finally {
      clearTimeout(timer)
      leave.abort()
    }
  }

  async records(type: string, name: string, signal: AbortSignal): Promise<readonly string[]> {
    try {
      return await this.#ask(type, name, signal)
    } catch {
      signal.throwIfAborted()
      return []
    }
  }

  async #ask(type: string, name: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const key = `${type} ${name.toLowerCase()}`
    const kept = this.#kept.get(key)
    if (kept !== undefined && performance.now() < kept.until) return kept.texts
    const question = this.#questions.get(key) ?? this.#open(key, type, name)
    question.waiting++
    try {
      const { texts, ttlMs } = await race(question.answer, signal)
      this.#keep(key, texts, Math.min(ttlMs, this.#ttlMs))
      return texts
    } finally {
      if (--question.waiting === 0) {
        this.#questions.delete(key)
        question.servers.cancel()
      }
    }
  }

  /** Each question has a channel of its own: ending it ends no other, and no source port serves twice. */
  #open(key: string, type: string, name: string): Question {
    const servers = new promises.Resolver({ timeout: this.#timeoutMs, tries: TRIES })
    if (this.#servers !== undefined) servers.setServers(this.#servers)
    const read = READERS.get(type) ?? (async () => fromTexts([]))
    const question = { answer: read(servers, name), servers, waiting: 0 }
    this.#questions.set(key, question)
    return question
  }

  #keep(key: string, texts: readonly string[], ttlMs: number): void {
    if (ttlMs <= 0 || texts.join('').length > MAX_KEPT_CHARACTERS) return
    this.#kept.delete(key)
    this.#kept.set(key, { texts, until: performance.now() + ttlMs })
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break
      this.#kept.delete(oldest)
    }
  }
}
