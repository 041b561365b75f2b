import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../built.ts'
import { writeWhole } from '../cache-files.ts'

const MAX_ENTRIES = 20_000

/** Digest of the code that judges patterns. */
let ownCode: string | undefined

/**
 * Computes the digest of this folder, which contains the proof and the trial. A package contains their code in bundles only: there, its
 * version identifies them.
 */
function digestOwnCode(): string {
  const hash = createHash('sha256').update(process.versions.v8)
  const folder = import.meta.dirname
  const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  for (const file of files.length > 0 ? files.sort() : [join(projectFolder(), 'package.json')])
    hash.update(readFileSync(file))
  return hash.digest('base64url')
}

/**
 * Stores which patterns have passed proof and trial, so that both run once for a pattern. A verdict counts only for the code and
 * the version of V8 that gave it. If the file cannot be read or written, only time is lost.
 */
export class VerdictCache {
  readonly #file: string
  readonly #code: string
  #passed: Set<string> | undefined
  #isChanged = false

  /**
   * @param folder folder of the cache file
   * @param code digest of the code that gives the verdicts
   */
  constructor(folder = join(projectFolder(), 'node_modules', '.cache', 'siteprint'), code?: string) {
    ownCode ??= digestOwnCode()
    this.#file = join(folder, 'patterns.json')
    this.#code = code ?? ownCode
  }

  has(pattern: string, flags: string): boolean {
    return this.#read().has(this.#buildKey(pattern, flags))
  }

  add(pattern: string, flags: string): void {
    this.#isChanged = true
    this.#read().add(this.#buildKey(pattern, flags))
  }

  /** Writes the new entries, if there are any. */
  save(): void {
    if (!this.#isChanged) return
    this.#isChanged = false
    try {
      writeWhole(this.#file, JSON.stringify([...this.#read()].slice(-MAX_ENTRIES)))
    } catch {
      // The installation is read-only. The next run repeats the trials.
    }
  }

  #read(): Set<string> {
    if (this.#passed) return this.#passed
    let keys: unknown
    try {
      keys = JSON.parse(readFileSync(this.#file, 'utf8'))
    } catch {}
    this.#passed = new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [])
    return this.#passed
  }

  #buildKey(pattern: string, flags: string): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#code, pattern, flags]))
      .digest('base64url')
  }
}
