import type { Collection } from 'mongodb'
import type { Switches } from '../types.ts'
import { CHANGE_MS, isDuplicate } from './errors.ts'
import type { SettingDocument } from './schema.ts'

const SWITCHES = 'switches'
const PROBE = 'probe'

/** The collection of switches and of words that are kept for good. */
export class MongoSettings {
  readonly #settings: Collection<SettingDocument>
  readonly #maxTimeMS: number

  /** @param maxTimeMS milliseconds after which the server gives up a probe */
  constructor(settings: Collection<SettingDocument>, maxTimeMS: number) {
    this.#settings = settings
    this.#maxTimeMS = maxTimeMS
  }

  async switches(): Promise<Switches> {
    const found = await this.#settings.findOne({ _id: SWITCHES })
    return { maintenance: found?.maintenance ?? false, apiOff: found?.apiOff ?? false }
  }

  async setSwitches({ maintenance, apiOff }: Partial<Switches>): Promise<void> {
    const change = { ...(maintenance !== undefined && { maintenance }), ...(apiOff !== undefined && { apiOff }) }
    if (Object.keys(change).length === 0) return
    await this.#settings.updateOne({ _id: SWITCHES }, { $set: change }, { upsert: true, maxTimeMS: CHANGE_MS })
  }

  async keepOnce(name: string, value: string): Promise<string> {
    const filter = { _id: `word:${name}` }
    try {
      await this.#settings.insertOne({ ...filter, value }, { maxTimeMS: CHANGE_MS })
      return value
    } catch (error) {
      if (!isDuplicate(error)) throw error
      return (await this.#settings.findOne(filter))?.value ?? value
    }
  }

  /** Writes as a charge does. With `fsync` + lock, or without a majority, reading still works. */
  async probe(): Promise<void> {
    const change = { $set: { value: new Date().toISOString() } }
    try {
      await this.#settings.updateOne({ _id: PROBE }, change, { upsert: true, maxTimeMS: this.#maxTimeMS })
    } catch (error) {
      if (!isDuplicate(error)) throw error // Another node has just inserted it: MongoDB can be written.
    }
  }
}
