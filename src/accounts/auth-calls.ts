import { AsyncLocalStorage } from 'node:async_hooks'
import { loopAwareTimeout } from '../async/loop-aware-timeout.ts'
import { StoreError } from '../store/types.ts'

/** A unique value, such as an e-mail address, already exists. */
export class DuplicateError extends Error {}

/** The first failure of the store during one call of a method of `Accounts`. */
interface AuthCall {
  failure: StoreError | null
}

/** One for all instances: on Node before 24 each promise visits every storage that was ever used. */
const calls = new AsyncLocalStorage<AuthCall>()

interface AuthCallsOptions {
  /** Milliseconds that a query may take; null for a store in this process. */
  readonly timeoutMs: number | null
  /** Receives each failure of the store. */
  readonly onFailure: (error: StoreError) => void
  /** Translates an error of the database: a `StoreError`, a `DuplicateError`, or the error itself. */
  readonly translate: (error: unknown) => unknown
}

/**
 * Limits the time of better-auth's queries. After one has failed, other queries of the same call fail immediately: the call
 * takes no longer than one timeout. A failure is thrown at the end of the call even if better-auth has ignored it, as it does
 * when a session cannot be deleted.
 */
export class AuthCalls {
  readonly #options: AuthCallsOptions

  constructor(options: AuthCallsOptions) {
    this.#options = options
  }

  /** Runs one call. @throws StoreError if one of its queries has failed */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const call: AuthCall = { failure: null }
    try {
      const value = await calls.run(call, work)
      if (call.failure !== null) throw call.failure
      return value
    } catch (error) {
      throw call.failure ?? error
    }
  }

  /** Runs one query of better-auth. @throws StoreError, DuplicateError */
  async query<T>(query: () => Promise<T>): Promise<T> {
    const call = calls.getStore()
    if (call?.failure) throw call.failure
    try {
      return await this.#limit(query())
    } catch (error) {
      const translated = this.#options.translate(error)
      if (translated instanceof StoreError) {
        this.#options.onFailure(translated)
        if (call !== undefined) call.failure ??= translated
      }
      throw translated
    }
  }

  #limit<T>(promise: Promise<T>): Promise<T> {
    const ms = this.#options.timeoutMs
    if (ms === null) return promise
    return loopAwareTimeout.limit(promise, ms, () => new StoreError(`no answer within ${ms} ms`))
  }
}
