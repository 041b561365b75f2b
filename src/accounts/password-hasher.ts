import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { createDeferred, type Deferred } from '../async/deferred.ts'
import { FairQueue } from '../async/fair-queue.ts'
import { AccountError } from './accounts.ts'

/**
 * Maximum number of concurrent hashes. Each takes 32 MB and a thread of Node's pool, which has four and also serves DNS
 * and files.
 */
const MAX_RUNNING_HASHES = 2
/** Maximum number of waiting hashes of clients that are not trusted: half a minute of work. */
const MAX_WAITING_STRANGERS = 512
/** Maximum number of waiting hashes of trusted clients. */
const MAX_WAITING_TRUSTED = 64
/** While both kinds wait, one hash in so many is that of a client that is not trusted. */
const STRANGERS_TURN = 4

/** Computes and compares hashes of passwords. */
export interface PasswordHashFunctions {
  readonly hash: (password: string) => Promise<string>
  readonly verify: (parts: { readonly hash: string; readonly password: string }) => Promise<boolean>
}

/** scrypt with N = 2^14 and r = 16, on Node's thread pool. */
const SCRYPT: PasswordHashFunctions = { hash: hashPassword, verify: verifyPassword }

/** The client for whom a password is hashed. */
export interface HashClient {
  /** Groups of clients that are served in turn, the widest first, as `FairQueue` takes them. */
  readonly path: readonly string[]
  /** Whether the client has shown that it belongs to an account. Trusted clients are served first. */
  readonly isTrusted: boolean
}

/** The operator's commands, which hash one password at a time. */
const OPERATOR: HashClient = { path: ['operator'], isTrusted: true }

/**
 * Hashes passwords, a limited number at a time. The queue is fair: when it is full, the client or the network with most waiting
 * hashes is rejected, and strangers cannot delay trusted clients.
 */
export class PasswordHasher {
  readonly #functions: PasswordHashFunctions
  readonly #trusted = new FairQueue<Deferred<void>>(MAX_WAITING_TRUSTED)
  readonly #strangers = new FairQueue<Deferred<void>>(MAX_WAITING_STRANGERS)
  #running = 0
  #turn = 0

  /** @param functions cheaper ones are supplied by tests that are not about hashing */
  constructor(functions: PasswordHashFunctions = SCRYPT) {
    this.#functions = functions
  }

  /** @throws AccountError `too_many_attempts` if too many hashes wait */
  hash(password: string, client: HashClient = OPERATOR): Promise<string> {
    return this.#run(client, () => this.#functions.hash(password))
  }

  /**
   * Compares a password with a hash. Without a hash it takes the same time and returns false.
   * @throws AccountError `too_many_attempts` if too many hashes wait
   */
  verify(password: string, hash: string | null, client: HashClient): Promise<boolean> {
    return this.#run(client, async () => {
      if (hash !== null) return this.#functions.verify({ hash, password })
      await this.#functions.hash(password)
      return false
    })
  }

  async #run<T>(client: HashClient, work: () => Promise<T>): Promise<T> {
    await this.#acquire(client)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  async #acquire({ path, isTrusted }: HashClient): Promise<void> {
    if (this.#running < MAX_RUNNING_HASHES) {
      this.#running++
      return
    }
    const waiter = createDeferred<void>()
    const rejected = (isTrusted ? this.#trusted : this.#strangers).add(path, waiter)
    rejected?.reject(new AccountError('too_many_attempts'))
    await waiter.promise
  }

  /** Passes the slot on, so that a new call cannot overtake those that wait. */
  #release(): void {
    const next = this.#takeNext()
    if (next === null) this.#running--
    else next.resolve()
  }

  #takeNext(): Deferred<void> | null {
    if (this.#strangers.size === 0) return this.#trusted.take()
    const isStrangersTurn = ++this.#turn % STRANGERS_TURN === 0
    return (isStrangersTurn ? null : this.#trusted.take()) ?? this.#strangers.take() ?? this.#trusted.take()
  }
}
