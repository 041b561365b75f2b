import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { KeyedSemaphore } from '../async/keyed-semaphore.ts'
import { AccountError } from './accounts.ts'

/**
 * Maximum number of concurrent hashes. Each takes 32 MB and a thread of Node's pool, which has four and also serves DNS
 * and files.
 */
const MAX_RUNNING_HASHES = 2
/** Maximum number of waiting hashes: about two seconds of work. Any more fail immediately. */
const MAX_WAITING_HASHES = 32

/** Computes and compares hashes of passwords. */
export interface PasswordHashFunctions {
  readonly hash: (password: string) => Promise<string>
  readonly verify: (parts: { readonly hash: string; readonly password: string }) => Promise<boolean>
}

/** scrypt with N = 2^14 and r = 16, on Node's thread pool. */
const SCRYPT: PasswordHashFunctions = { hash: hashPassword, verify: verifyPassword }

/** Hashes passwords, a limited number at a time. */
export class PasswordHasher {
  readonly #functions: PasswordHashFunctions
  readonly #slots = new KeyedSemaphore({ perKey: MAX_RUNNING_HASHES })

  /** @param functions cheaper ones are supplied by tests that are not about hashing */
  constructor(functions: PasswordHashFunctions = SCRYPT) {
    this.#functions = functions
  }

  /** @throws AccountError `too_many_attempts` if too many hashes wait */
  hash(password: string): Promise<string> {
    return this.#run(() => this.#functions.hash(password))
  }

  /**
   * Compares a password with a hash. Without a hash it takes the same time and returns false.
   * @throws AccountError `too_many_attempts` if too many hashes wait
   */
  verify(password: string, hash: string | null): Promise<boolean> {
    return this.#run(async () => {
      if (hash !== null) return this.#functions.verify({ hash, password })
      await this.#functions.hash(password)
      return false
    })
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#slots.hasRoom('') && this.#slots.waiting >= MAX_WAITING_HASHES)
      throw new AccountError('too_many_attempts')
    const release = await this.#slots.acquire('')
    try {
      return await work()
    } finally {
      release()
    }
  }
}
