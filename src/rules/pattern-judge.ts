import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { checkSync } from 'recheck'
import { projectFolder } from './built.ts'

const require = createRequire(import.meta.url)
/** A pattern that cannot be judged in this time is refused. */
const TIMEOUT_MS = 10_000

/**
 * Says whether a regular expression can take very long. recheck proves it, in up to a second a pattern, so what it found
 * safe is remembered beside the build; with recheck's version, so that another one judges anew.
 */
class PatternJudge {
  readonly #file = join(projectFolder(), 'dist', 'safe-patterns.json')
  readonly #version = (require('recheck/package.json') as { version: string }).version
  #safe: Set<string> | undefined

  /** @returns null when it is safe, else why it is not */
  judge(pattern: string, flags: string): string | null {
    this.#safe ??= new Set(this.#read())
    const key = `${this.#version} /${pattern}/${flags}`
    if (this.#safe.has(key)) return null
    // The build without Java and worker: pure JavaScript, a megabyte, loaded when the first new pattern asks for it.
    const { checkSync: check } = require('recheck/lib/browser.js') as { checkSync: typeof checkSync }
    let verdict: ReturnType<typeof check>
    try {
      verdict = check(pattern, flags, { timeout: TIMEOUT_MS })
    } catch (error) {
      if (error instanceof RangeError) return 'nobody can tell: its groups are nested too deep'
      throw error
    }
    if (verdict.status === 'vulnerable') return `${verdict.complexity.type} time`
    if (verdict.status === 'unknown') return `nobody can tell: ${verdict.error.kind}`
    this.#safe.add(key)
    this.#write([...this.#safe])
    return null
  }

  #read(): string[] {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as string[]
    } catch {
      return []
    }
  }

  /** A folder that cannot be written costs the memory alone. */
  #write(keys: readonly string[]): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      writeFileSync(this.#file, JSON.stringify(keys))
    } catch {}
  }
}

const judge = new PatternJudge()

/** @returns null when the pattern is safe on any text, else why it is not */
export function judgePattern(pattern: string, flags: string): string | null {
  return judge.judge(pattern, flags)
}
