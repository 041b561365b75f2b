import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFolder } from '../built.ts'

/** Changes with what a trial does: verdicts of another version count no more. */
const VERSION = 1
const MAX_ENTRIES = 20_000

/**
 * Patterns that have passed their trial, kept between runs. It saves time only: what the file says never makes up for the
 * proof, which each run repeats. A file that cannot be read or written costs the time that it would have saved.
 */
export class VerdictCache {
  readonly #file: string
  #passed: Set<string> | undefined
  #isChanged = false

  /** @param folder where the file is kept */
  constructor(folder = join(projectFolder(), 'node_modules', '.cache', 'siteprint')) {
    this.#file = join(folder, 'patterns.json')
  }

  has(pattern: string, flags: string): boolean {
    return this.#read().has(keyOf(pattern, flags))
  }

  add(pattern: string, flags: string): void {
    this.#isChanged = true
    this.#read().add(keyOf(pattern, flags))
  }

  /** Writes what was added, in one step: another process reads all of it or none. */
  save(): void {
    if (!this.#isChanged) return
    this.#isChanged = false
    const temporary = `${this.#file}.${process.pid}-${Math.random().toString(36).slice(2)}`
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(temporary, JSON.stringify([...this.#read()].slice(-MAX_ENTRIES)), { flag: 'wx' })
      renameSync(temporary, this.#file)
    } catch {
      // A read-only installation: the next run tries the patterns again.
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

function keyOf(pattern: string, flags: string): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, process.versions.v8, pattern, flags]))
    .digest('base64url')
}
