import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { deleteOldest, writeWhole } from '../cache-files.ts'
import { discoverRules, type FoundRule, MOST_SEEN } from '../discover.ts'
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

/** A part that is open: what its file has, and what is new. */
interface OpenPart {
  readonly known: Readonly<Record<string, Entry>>
  readonly recent: Record<string, Entry>
  summary?: unknown
  isChanged: boolean
}

/** The result about all files, and the state of all of them. */
interface Whole {
  readonly state: string
  readonly value: unknown
}

/** Files that are kept: those of the sets of folders that were checked last. Each set has about a dozen. */
const MAX_FILES = 192
/** Values of a part that are kept in a file of their own, next to those of an earlier run. */
const MAX_RECENT = 100

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
    const lists = folders.map((one) => join(one, MOST_SEEN)).filter((file) => existsSync(file))
    this.#state = hash([this.#identity, ...missing, ...lists.map(readState), ...strays, ...[...this.#states].flat()])
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
    part.recent[rule.file] = [this.getState(rule), value]
    part.isChanged = true
  }

  /** Returns what is known of a rule and its test; undefined if nothing is. */
  find<Value>(rule: FoundRule, name: string): Value | undefined {
    return this.#findEntry(rule, name)?.[1] as Value | undefined
  }

  #findEntry(rule: FoundRule, name: string): Entry | undefined {
    const { known, recent } = this.#openPart(name)
    const entries = Object.hasOwn(recent, rule.file) ? recent : known
    const entry = Object.hasOwn(entries, rule.file) ? entries[rule.file] : undefined
    return entry?.[0] === this.getState(rule) ? entry : undefined
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
      const known = this.#readPart(name)
      const recent = this.#readPart(`${name}-recent`)
      const summary = recent?.summary ?? known?.summary
      part = { known: known?.entries ?? {}, recent: recent?.entries ?? {}, summary, isChanged: false }
      this.#parts.set(name, part)
    }
    return part
  }

  #readPart(name: string): KnownPart | undefined {
    return readJson<KnownPart>(this.#getPath(name), (one) => (isPart(one, this.#identity) ? one : undefined))
  }

  /** Writes what is new of a part. All of it is written if much is new: that takes longer than the checks of a few rules. */
  #savePart(name: string, { known, recent, summary }: OpenPart): void {
    const isFew = Object.keys(recent).length <= MAX_RECENT && Object.keys(known).length > 0
    const entries = isFew ? recent : { ...known, ...recent }
    // Values of files that have changed or are gone are never read again.
    const current = Object.entries(entries).filter(([file, [state]]) => this.#states.get(file) === state)
    const part: KnownPart = { identity: this.#identity, entries: Object.fromEntries(current), summary }
    writeWhole(this.#getPath(isFew ? `${name}-recent` : name), JSON.stringify(part))
    if (!isFew) rmSync(this.#getPath(`${name}-recent`), { force: true })
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
      for (const [name, part] of changed) this.#savePart(name, part)
      for (const [name, whole] of this.#wholes) writeWhole(this.#getPath(name), JSON.stringify(whole))
      deleteOldest(dirname(this.#path), /^checks-[\w-]+\.json$/, MAX_FILES)
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

/** Data that checks and tests read, next to the compiled modules. */
const DATA = [
  'networks/networks.bin',
  'authoring/common-words/page-words.txt',
  'rules/checks/code-words.txt',
  'rules/checks/window-names.txt',
].map((name) => join(import.meta.dirname, '..', '..', name))

/** Identifies the code of this installation by the names, sizes and times of its files; null if it is not built. */
export function identifyCode(): string | null {
  if (!existsSync(BUNDLES)) return null
  const code = readdirSync(BUNDLES).map((name) => join(BUNDLES, name))
  return hash([process.version, ...[...code.sort(), ...DATA].map((file) => `${file} ${readState(file)}`)])
}
