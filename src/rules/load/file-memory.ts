import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { deleteOldest, writeWhole } from '../cache-files.ts'
import { discoverRules, type FoundRule } from '../discover.ts'
import { readState } from '../fingerprint.ts'

/** Where the memory is kept, and what it is about. */
export interface MemoryPlace {
  /** Folder of the cache. */
  readonly folder: string
  /** Rule folders that are checked together. */
  readonly folders: readonly string[]
  /** Identity of the code that computes the values: those of other code are not used. */
  readonly code: string
}

/** A value of a rule and its test, and the state of the two files when it was computed. */
type Entry = readonly [state: string, value: unknown]

/** What is kept under one name. Each name has a file of its own, so that a run reads and writes only what it asks for. */
interface KnownPart {
  readonly identity: string
  /** Values by the file of the rule. */
  readonly entries: Record<string, Entry>
  /** What the last run has told about all files. */
  summary?: unknown
}

interface OpenPart extends KnownPart {
  isChanged: boolean
}

/** The result about all files, and the state of all of them. */
interface Whole {
  readonly state: string
  readonly value: unknown
}

/** Files that are kept: those of the sets of folders that were checked last. Each set has up to six files. */
const MAX_FILES = 96

/**
 * What earlier runs have computed about rule files. A value counts while the code, the categories, and the sizes and times of the
 * rule and of its test are the same, as Git finds changed files. If the cache cannot be read or written, only time is lost.
 */
export class FileMemory {
  readonly #path: string
  /** State of each rule with its test, by the file of the rule. */
  readonly #states: ReadonlyMap<string, string>
  readonly #state: string
  readonly #identity: string
  readonly #parts = new Map<string, OpenPart>()
  readonly #wholes = new Map<string, Whole>()

  /** Reads the states of all files before any is checked, so that a change during the run is noticed by the next one. */
  constructor({ folder, folders, code }: MemoryPlace) {
    const found = folders.filter((one) => existsSync(one)).map(discoverRules)
    const categories = found.flatMap(({ categoriesFile }) => (categoriesFile === null ? [] : [categoriesFile]))
    const strays = found.flatMap(({ findings }) => findings.map(({ file, sentence }) => `${file} ${sentence}`))
    const rules = found.flatMap((one) => one.rules)
    this.#states = new Map(rules.map((rule) => [rule.file, readRuleState(rule)]))
    this.#identity = hash([code, ...categories.map(readState)])
    const missing = folders.filter((one) => !existsSync(one))
    this.#state = hash([this.#identity, ...missing, ...strays, ...[...this.#states].flat()])
    this.#path = join(folder, `checks-${hash([process.cwd(), ...folders.map((one) => resolve(one))])}`)
  }

  /** Returns what is known of a rule and its test, or computes it. The value must survive JSON. */
  recall<Value>(rule: FoundRule, name: string, compute: () => Value): Value {
    const known = this.#findEntry(rule, name)
    if (known !== undefined) return known[1] as Value
    const value = compute()
    this.replace(rule, name, value)
    return value
  }

  /** Tells later runs something about a rule and its test, whatever is known. The value must survive JSON. */
  replace(rule: FoundRule, name: string, value: unknown): void {
    const part = this.#openPart(name)
    part.entries[rule.file] = [this.getState(rule), value]
    part.isChanged = true
  }

  /** Returns what is known of a rule and its test; undefined if nothing is. */
  find<Value>(rule: FoundRule, name: string): Value | undefined {
    return this.#findEntry(rule, name)?.[1] as Value | undefined
  }

  #findEntry(rule: FoundRule, name: string): Entry | undefined {
    const { entries } = this.#openPart(name)
    const known = Object.hasOwn(entries, rule.file) ? entries[rule.file] : undefined
    return known?.[0] === this.getState(rule) ? known : undefined
  }

  /** Returns the state of a rule and its test, which changes when one of them does. */
  getState(rule: FoundRule): string {
    return this.#states.get(rule.file) ?? ''
  }

  /** Returns what the last run has told about all of its files with `setSummary`; undefined if there is none. */
  getSummary<Value>(name: string): Value | undefined {
    return this.#openPart(name).summary as Value | undefined
  }

  /** Tells the next run something about all files, whatever changes until then. The value must survive JSON. */
  setSummary(name: string, value: unknown): void {
    const part = this.#openPart(name)
    part.summary = value
    part.isChanged = true
  }

  #openPart(name: string): OpenPart {
    let part = this.#parts.get(name)
    if (part === undefined) {
      const known = readJson<KnownPart>(this.#getPath(name), (one) => (isPart(one, this.#identity) ? one : undefined))
      part = { identity: this.#identity, entries: {}, ...known, isChanged: false }
      this.#parts.set(name, part)
    }
    return part
  }

  #getPath(name: string): string {
    return `${this.#path}-${name}.json`
  }

  /**
   * Returns the result about all files, or computes it.
   * @param name of the result
   * @param parameters what it depends on besides the files
   */
  recallWhole<Value>(name: string, parameters: readonly string[], compute: () => Value): Value {
    const state = hash([this.#state, ...parameters])
    const known = readJson<Whole>(this.#getPath(name), (one) => (one?.state === state ? one : undefined))
    if (known !== undefined) return known.value as Value
    const value = compute()
    this.#wholes.set(name, { state, value })
    return value
  }

  /** Writes what is new. Nothing happens if the cache cannot be written. */
  save(): void {
    const changed = [...this.#parts].filter(([, { isChanged }]) => isChanged)
    if (changed.length + this.#wholes.size === 0) return
    try {
      for (const [name, { identity, entries, summary }] of changed) {
        // Values of files that have changed or are gone are never read again.
        const current = Object.entries(entries).filter(([file, [state]]) => this.#states.get(file) === state)
        const part: KnownPart = { identity, entries: Object.fromEntries(current), summary }
        writeWhole(this.#getPath(name), JSON.stringify(part))
      }
      for (const [name, whole] of this.#wholes) writeWhole(this.#getPath(name), JSON.stringify(whole))
      deleteOldest(dirname(this.#path), /^checks-\w+(?:-\w+)?\.json$/, MAX_FILES)
    } catch {
      // The disk is full or the folder cannot be written. The next run computes everything again.
    }
  }
}

function isPart(value: KnownPart | null, identity: string): value is KnownPart {
  return value?.identity === identity && typeof value.entries === 'object'
}

/** Reads a file that an earlier run has written. Returns undefined if there is none, it is damaged, or it is not accepted. */
function readJson<Value>(file: string, accept: (value: Value | null) => Value | undefined): Value | undefined {
  try {
    return accept(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

function readRuleState({ file, testFile, hasTest }: FoundRule): string {
  return hasTest ? `${readState(file)} ${readState(testFile)}` : readState(file)
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16)
}

/** Folder of the bundles, which contain all code; there is none while this module runs from its source. */
const BUNDLES = join(import.meta.dirname, '..', '..', '..', 'bundle')

/** Identifies the code of this installation by the names, sizes and times of its files; null if it is not built. */
export function identifyCode(): string | null {
  if (!existsSync(BUNDLES)) return null
  const files = readdirSync(BUNDLES).sort()
  return hash([process.version, ...files.map((name) => `${name} ${readState(join(BUNDLES, name))}`)])
}
