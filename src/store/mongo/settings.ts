import type { Collection } from 'mongodb'
import type { SettingStore, Switches } from '../types.ts'
import type { SettingDocument } from './collections.ts'
import { CHANGE_TIMEOUT_MS, isDuplicate } from './errors.ts'

const SWITCHES = 'switches'
const PROBE = 'probe'

/** The collection of the switches and of permanent values. */
export class MongoSettings implements SettingStore {
  readonly #settings: Collection<SettingDocument>
  readonly #maxTimeMS: number

  /** @param maxTimeMS milliseconds after which the server aborts a probe */
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
    await this.#settings.updateOne({ _id: SWITCHES }, { $set: change }, { upsert: true, maxTimeMS: CHANGE_TIMEOUT_MS })
  }

  async putIfAbsent(name: string, value: string): Promise<string> {
    try {
      await this.#settings.insertOne({ _id: `word:${name}`, value }, { maxTimeMS: CHANGE_TIMEOUT_MS })
      return value
    } catch (error) {
      if (!isDuplicate(error)) throw error
      return (await this.findValue(name)) ?? value
    }
  }

  async findValue(name: string): Promise<string | null> {
    return (await this.#settings.findOne({ _id: `word:${name}` }))?.value ?? null
  }

  /** Writes as durably as a charge. During `fsync` + lock, or without a majority, MongoDB can still be read. */
  async probe(): Promise<void> {
    const change = { $set: { value: new Date().toISOString() } }
    try {
      await this.#settings.updateOne({ _id: PROBE }, change, { upsert: true, maxTimeMS: this.#maxTimeMS })
    } catch (error) {
      if (!isDuplicate(error)) throw error // If another node has just inserted it, MongoDB can be written.
    }
  }
}
