import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFolder } from '../built.ts'

/** Increase it when trials change: verdicts of other versions are ignored. */
const VERSION = 1
const MAX_ENTRIES = 20_000

/**
 * Stores which patterns have passed their trial. It only saves time: every run repeats the proof, whatever the file
 * contains. If the file cannot be read or written, only time is lost.
 */
export class VerdictCache {
  readonly #file: string
  #passed: Set<string> | undefined
  #isChanged = false

  /** @param folder folder of the cache file */
  constructor(folder = join(projectFolder(), 'node_modules', '.cache', 'siteprint')) {
    this.#file = join(folder, 'patterns.json')
  }

  has(pattern: string, flags: string): boolean {
    return this.#read().has(buildCacheKey(pattern, flags))
  }

  add(pattern: string, flags: string): void {
    this.#isChanged = true
    this.#read().add(buildCacheKey(pattern, flags))
  }

  /** Writes the new entries atomically: another process sees either the old file or the complete new one. */
  save(): void {
    if (!this.#isChanged) return
    this.#isChanged = false
    const temporary = `${this.#file}.${process.pid}-${Math.random().toString(36).slice(2)}`
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(temporary, JSON.stringify([...this.#read()].slice(-MAX_ENTRIES)), { flag: 'wx' })
      renameSync(temporary, this.#file)
    } catch {
      // The installation is read-only. The next run repeats the trials.
      try {
        rmSync(temporary, { force: true })
      } catch {}
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
}

function buildCacheKey(pattern: string, flags: string): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, process.versions.v8, pattern, flags]))
    .digest('base64url')
}
