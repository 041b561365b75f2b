import { readFileSync } from 'node:fs'

/** Names and values of environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A problem of one setting. It never contains the value. */
export interface SettingProblem {
  readonly name: string
  /** What to write instead. */
  readonly sentence: string
}

/** Reads settings by name and collects their problems. A blank setting counts as not set. */
export class ConfigReader {
  readonly problems: SettingProblem[] = []
  readonly #env: Environment
  /** Name → value of settings that were read from files. */
  readonly #fromFiles = new Map<string, string>()

  constructor(env: Environment) {
    this.#env = env
  }

  /** The trimmed text of a setting; null if it is not set. */
  text(name: string): string | null {
    return this.#fromFiles.get(name) ?? (this.#env[name]?.trim() || null)
  }

  /** Reads a setting from the file that `<name>_FILE` names, if it is set. */
  loadFile(name: string): void {
    const source = `${name}_FILE`
    const file = this.text(source)
    if (file === null) return
    if (this.text(name) !== null) this.report(source, `set either ${name} or ${source}`)
    else
      try {
        const value = readFileSync(file, 'utf8').trim()
        if (value === '') this.report(source, `the file is empty: ${file}`)
        else this.#fromFiles.set(name, value)
      } catch (error) {
        this.report(source, `the file cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
      }
  }

  /** The entries of a comma-separated setting. */
  list(name: string): readonly string[] {
    const entries = (this.text(name) ?? '').split(',').map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '')
  }

  report(name: string, sentence: string): void {
    this.problems.push({ name, sentence })
  }

  /**
   * Reads one value.
   * @param parse returns null for an invalid value
   * @param sentence what to report for an invalid value
   * @returns null if the setting is not set or invalid
   */
  read<T>(name: string, parse: (text: string) => T | null, sentence: string): T | null {
    const text = this.text(name)
    const value = text === null ? null : parse(text)
    if (text !== null && value === null) this.report(name, sentence)
    return value
  }

  /**
   * Reads a list. Invalid entries are reported by their number, from 1.
   * @param wanted what an entry must be, with its article
   * @returns null if the setting is not set, or has no valid entry
   */
  readList<T>(name: string, parse: (entry: string) => T | null, wanted: string): readonly T[] | null {
    const values = this.list(name).flatMap((entry, i) => {
      const value = parse(entry)
      if (value === null) this.report(name, `entry ${i + 1} is not ${wanted}`)
      return value ?? []
    })
    return values.length > 0 ? values : null
  }
}

/** Returns a parser of decimal integers in a range. It returns null for any other text. */
export function createNumberParser(least: number, most: number): (text: string) => number | null {
  return (text) => (/^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null)
}
