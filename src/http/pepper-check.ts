import type { FastifyBaseLogger } from 'fastify'
import { identifyPepper } from '../keys/key.ts'
import type { Store } from '../store/types.ts'

/** Time between two counts while no stored key can be used. */
const RECHECK_MS = 5000

interface PepperParts {
  readonly store: Pick<Store, 'keys'>
  readonly pepper: string
  readonly oldPepper?: string | null
  readonly firstPepper?: string
  readonly clock: () => number
  readonly log: FastifyBaseLogger
}

/** The secrets of stored keys, by whether a pepper of this server was used. */
interface Counts {
  readonly usable: number
  readonly lost: number
}

/**
 * Compares the peppers of this server with those of the stored keys. With a wrong pepper every key would look unknown, and clients
 * would search for the mistake in their keys.
 */
export class PepperCheck {
  readonly #parts: PepperParts
  #isWrong = false
  #checkedAt = 0

  constructor(parts: PepperParts) {
    this.#parts = parts
  }

  /** Makes the first comparison, and logs keys that cannot be used. A store that is away is not compared. */
  async open(): Promise<void> {
    const counts = await this.#count()
    if (counts === null || counts.lost === 0) return
    this.#isWrong = counts.usable === 0
    const { log } = this.#parts
    if (this.#isWrong)
      log.error(
        { secrets: counts.lost },
        'KEY_PEPPER is not the pepper that the stored keys were made with: no key can be used, and /health/ready fails. Set KEY_PEPPER, or KEY_PEPPER_OLD, to that pepper; without KEY_PEPPER it is in DATA_DIR',
      )
    else
      log.warn(
        { secrets: counts.lost },
        'some stored keys were made with another pepper than KEY_PEPPER and KEY_PEPPER_OLD, and are rejected: the command "keys list" shows them as "missing"',
      )
  }

  /** Whether there are stored keys but none of them can be used. A key that was created in the meantime ends this state. */
  async isWrong(): Promise<boolean> {
    const { clock, log } = this.#parts
    if (!this.#isWrong || clock() - this.#checkedAt < RECHECK_MS) return this.#isWrong
    const counts = await this.#count()
    if (counts === null || (counts.usable === 0 && counts.lost > 0)) return true
    this.#isWrong = false
    log.info('there are keys that were made with the pepper of this server')
    return false
  }

  /** @returns null if the store is away */
  async #count(): Promise<Counts | null> {
    const { store, pepper, oldPepper = null, clock } = this.#parts
    const current = identifyPepper(pepper)
    const { firstPepper = current } = this.#parts
    const accepted = [current, ...(oldPepper === null ? [] : [identifyPepper(oldPepper)])]
    this.#checkedAt = clock()
    try {
      const counts = { usable: 0, lost: 0 }
      for (const { pepper: id, secrets } of await store.keys.countPeppers(new Date(clock())))
        counts[accepted.includes(id ?? firstPepper) ? 'usable' : 'lost'] += secrets
      return counts
    } catch {
      return null // The guard of the store has logged the error.
    }
  }
}
