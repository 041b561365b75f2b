type Environment = Readonly<Record<string, string | undefined>>

/** Reads settings by their names and gathers what is wrong with them. What is blank is not set; no value is ever told. */
export class ConfigReader {
  /** `NAME: what to write`, in the order in which they were read. */
  readonly faults: string[] = []
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
  }

  /** The setting without blanks around it; null when it is not set. */
  text(name: string): string | null {
    return this.#env[name]?.trim() || null
  }

  /** Entries between commas. */
  list(name: string): readonly string[] {
    const entries = (this.text(name) ?? '').split(',').map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '')
  }

  refuse(name: string, wanted: string): void {
    this.faults.push(`${name}: ${wanted}`)
  }

  /**
   * @param read null for a bad value
   * @param wanted the sentence on it
   * @returns null when it is not set, or bad
   */
  read<T>(name: string, read: (text: string) => T | null, wanted: string): T | null {
    const text = this.text(name)
    const value = text === null ? null : read(text)
    if (text !== null && value === null) this.refuse(name, wanted)
    return value
  }

  /** A whole number; null when it is not set, or bad. */
  number(name: string, least: number, most: number): number | null {
    return this.read(name, wholeNumber(least, most), `write a number from ${least} to ${most}`)
  }

  /** Reads every entry of a list; what is none is told by its number, from 1. */
  readAll<T>(name: string, read: (entry: string) => T | null, wanted: string): readonly T[] {
    return this.list(name).flatMap((entry, i) => {
      const value = read(entry)
      if (value === null) this.refuse(name, `entry ${i + 1} is no ${wanted}`)
      return value ?? []
    })
  }
}

/** A reader of plain decimal numbers in a range. */
export function wholeNumber(least: number, most: number): (text: string) => number | null {
  return (text) => (/^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null)
}
