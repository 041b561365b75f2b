import type { Collection } from 'mongodb'
import { isDuplicate } from './mongo-fault.ts'
import type { SettingDocument } from './mongo-schema.ts'
import type { Switches } from './types.ts'

const SWITCHES = 'switches'

/** The collection of switches and of words that are kept for good. */
export class MongoSettings {
  readonly #settings: Collection<SettingDocument>

  constructor(settings: Collection<SettingDocument>) {
    this.#settings = settings
  }

  async switches(): Promise<Switches> {
    const found = await this.#settings.findOne({ _id: SWITCHES })
    return { maintenance: found?.maintenance ?? false, apiOff: found?.apiOff ?? false }
  }

  async setSwitches({ maintenance, apiOff }: Partial<Switches>): Promise<void> {
    const change = { ...(maintenance !== undefined && { maintenance }), ...(apiOff !== undefined && { apiOff }) }
    if (Object.keys(change).length === 0) return
    await this.#settings.updateOne({ _id: SWITCHES }, { $set: change }, { upsert: true })
  }

  async keepOnce(name: string, value: string): Promise<string> {
    const filter = { _id: `word:${name}` }
    try {
      await this.#settings.insertOne({ ...filter, value })
      return value
    } catch (error) {
      if (!isDuplicate(error)) throw error
      return (await this.#settings.findOne(filter))?.value ?? value
    }
  }
}
