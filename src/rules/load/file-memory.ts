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

/** The values of one rule and its test, by name, and the state of the two files when they were computed. */
interface RememberedRule {
  readonly state: string
  readonly values: Record<string, unknown>
}

/** What is kept of the files of a run. */
interface KnownFiles {
  readonly identity: string
  readonly entries: Readonly<Record<string, RememberedRule>>
  /** What the run tells the next one about all files, by name. */
  readonly summaries: Readonly<Record<string, unknown>>
}

/** The result about all files, and the state of all of them. */
interface Whole {
  readonly state: string
  readonly value: unknown
}

/** Memories that are kept: those of the sets of folders that were checked last. Each has two files. */
const MAX_KEPT = 16

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
  #known: KnownFiles | undefined
  readonly #entries: Record<string, RememberedRule> = {}
  readonly #summaries: Record<string, unknown> = {}
  #whole: Whole | undefined
  #isChanged = false

  /** Reads the states of all files before any is checked, so that a change during the run is noticed by the next one. */
  constructor({ folder, folders, code }: MemoryPlace) {
    const found = folders.filter((one) => existsSync(one)).map(discoverRules)
    const categories = found.flatMap(({ categoriesFile }) => (categoriesFile === null ? [] : [categoriesFile]))
    const strays = found.flatMap(({ findings }) => findings.map(({ file, sentence }) => `${file} ${sentence}`))
    const rules = found.flatMap((one) => one.rules)
    this.#states = new Map(rules.map((rule) => [rule.file, readRuleState(rule)]))
    this.#identity = hash([code, ...categories.map(readState)])
    this.#state = hash([this.#identity, ...strays, ...[...this.#states].flat()])
    this.#path = join(folder, `checks-${hash([process.cwd(), ...folders.map((one) => resolve(one))])}`)
  }

  /** Returns what is known of a rule and its test, or computes it. The value must survive JSON. */
  recall<Value>(rule: FoundRule, name: string, compute: () => Value): Value {
    const state = this.getState(rule)
    const { entries } = this.#readKnown()
    const known = Object.hasOwn(entries, rule.file) ? entries[rule.file] : undefined
    this.#entries[rule.file] ??= known?.state === state ? known : { state, values: {} }
    const { values } = this.#entries[rule.file]
    if (!Object.hasOwn(values, name)) {
      values[name] = compute()
      this.#isChanged = true
    }
    return values[name] as Value
  }

  /** Returns what is known of a rule and its test; undefined if nothing is. */
  find<Value>(rule: FoundRule, name: string): Value | undefined {
    const { entries } = this.#readKnown()
    const known = Object.hasOwn(entries, rule.file) ? entries[rule.file] : undefined
    return known?.state === this.getState(rule) && Object.hasOwn(known.values, name) ? (known.values[name] as Value) : undefined
  }

  /** Returns the state of a rule and its test, which changes when one of them does. */
  getState(rule: FoundRule): string {
    return this.#states.get(rule.file) ?? ''
  }

  /** Returns what the last run has told about all of its files with `setSummary`; undefined if there is none. */
  getSummary<Value>(name: string): Value | undefined {
    return this.#readKnown().summaries[name] as Value | undefined
  }

  /** Tells the next run something about all files, whatever changes until then. The value must survive JSON. */
  setSummary(name: string, value: unknown): void {
    this.#summaries[name] = value
    this.#isChanged = true
  }

  #readKnown(): KnownFiles {
    this.#known ??= readJson<KnownFiles>(`${this.#path}-files.json`, (one) =>
      one?.identity === this.#identity ? one : undefined,
    ) ?? { identity: this.#identity, entries: {}, summaries: {} }
    return this.#known
  }

  /** Returns the result about all files, or computes it. @param parameters what it depends on besides the files */
  recallWhole<Value>(parameters: readonly string[], compute: () => Value): Value {
    const state = hash([this.#state, ...parameters])
    const known = readJson<Whole>(`${this.#path}.json`, (one) => (one?.state === state ? one : undefined))
    this.#whole = known ?? { state, value: compute() }
    this.#isChanged ||= known === undefined
    return this.#whole.value as Value
  }

  #listFiles(): KnownFiles {
    return { identity: this.#identity, entries: this.#entries, summaries: this.#summaries }
  }

  /** Writes what is new. Nothing happens if the cache cannot be written. */
  save(): void {
    if (!this.#isChanged) return
    try {
      if (this.#known !== undefined) writeWhole(`${this.#path}-files.json`, JSON.stringify(this.#listFiles()))
      if (this.#whole !== undefined) writeWhole(`${this.#path}.json`, JSON.stringify(this.#whole))
      deleteOldest(dirname(this.#path), /^checks-\w+(?:-files)?\.json$/, MAX_KEPT * 2)
    } catch {
      // The disk is full or the folder cannot be written. The next run computes everything again.
    }
  }
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
