import type { CacheEntry } from '../coordination/types.ts'
import { type FormatOptions, formatResult } from './cached-response.ts'

/** The bytes of a response, and what they depend on besides the entry. */
interface PreparedBody {
  readonly form: string
  readonly body: Buffer
}

/**
 * Formats cache entries as responses, like `formatResult`. Of each entry, the bytes of the last response with extras are kept as long as the
 * entry itself, because most clients ask for the same extras each time, and joining and encoding their texts again would cost more than
 * sending them.
 */
export class PreparedResponses {
  readonly #prepared = new WeakMap<CacheEntry, PreparedBody>()

  format(entry: CacheEntry, options: FormatOptions): string | Buffer {
    const { cached, include, revision, pages = 1 } = options
    if (!cached || include.length === 0) return formatResult(entry, options)
    const form = `${revision} ${pages} ${include.join()}`
    const known = this.#prepared.get(entry)
    if (known?.form === form) return known.body
    const body = Buffer.from(formatResult(entry, options))
    this.#prepared.set(entry, { form, body })
    return body
  }
}
