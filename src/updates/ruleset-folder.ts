import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { SetupError } from '../errors.ts'
import { compareVersions, isRelease, type Release } from '../rules/release-file.ts'
import { createFolder } from '../store/create-folder.ts'

/** Which released rulesets a server uses. Null stands for the built-in rules. */
export interface RulesetState {
  readonly active: Release | null
  /** The one that was in use before: a rollback returns to it. */
  readonly previous: Release | null
  /** The one that was rolled back: only a newer one is fetched. */
  readonly rolledBack: Release | null
}

const NOTHING: RulesetState = { active: null, previous: null, rolledBack: null }
/** Files that are being written. Older ones were left by a process that was killed. */
const PART_SUFFIX = '.part'
const MAX_PART_AGE_MS = 3_600_000

/** The released rulesets in `DATA_DIR/rulesets`: `<version>.rules`, and the state in `state.json`, which is replaced as a whole. */
export class RulesetFolder {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'rulesets')
  }

  /** The path of the file of a ruleset, which may not exist. */
  nameFile({ version }: Pick<Release, 'version'>): string {
    return join(this.#folder, `${version}.rules`)
  }

  /** @throws SetupError if the state cannot be read, or is damaged */
  readState(): RulesetState {
    const file = join(this.#folder, 'state.json')
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return NOTHING
      throw new SetupError(`${file} cannot be read (${code}): check that this user can read it`)
    }
    const state = parseState(text)
    if (state === null) throw new SetupError(`${file} is damaged: remove it to use the built-in rules`)
    return state
  }

  /**
   * Reads which ruleset a server of this version uses. Rulesets made with an older version of Siteprint are not used, because the
   * built-in rules are newer, nor is one whose file is missing.
   * @param siteprint the version of Siteprint
   */
  readUsable(siteprint: string): RulesetState {
    const { active, previous, rolledBack } = this.readState()
    const isUsable = (release: Release | null): boolean =>
      release !== null && compareVersions(release.siteprint, siteprint) >= 0 && existsSync(this.nameFile(release))
    return {
      active: isUsable(active) ? active : null,
      previous: isUsable(previous) ? previous : null,
      rolledBack,
    }
  }

  /** Stores the file of a ruleset, which is not used yet. @throws SetupError if it cannot be written */
  storeFile(release: Release, bytes: Uint8Array): void {
    this.#removeOldParts()
    this.#replace(`${release.version}.rules`, bytes)
  }

  /** Replaces the state, and removes the files that it no longer names. @throws SetupError if it cannot be written */
  writeState(next: RulesetState): void {
    const { active, previous, rolledBack } = this.readState()
    this.#replace('state.json', `${JSON.stringify(next)}\n`)
    const needed = [next.active, next.previous, next.rolledBack].map((release) => release?.version)
    for (const release of [active, previous, rolledBack])
      if (release !== null && !needed.includes(release.version)) this.removeFile(release)
  }

  removeFile(release: Release): void {
    rmSync(this.nameFile(release), { force: true })
  }

  /** Writes a file next to its place and renames it: a process that is killed leaves the former file. */
  #replace(name: string, content: string | Uint8Array): void {
    const file = join(this.#folder, name)
    const part = `${file}.${randomBytes(8).toString('hex')}${PART_SUFFIX}`
    try {
      createFolder(this.#folder)
      writeSynced(part, Buffer.from(content))
      renameSync(part, file)
    } catch (error) {
      rmSync(part, { force: true })
      const { code } = error as NodeJS.ErrnoException
      throw new SetupError(
        `${file} cannot be written (${code}): DATA_DIR must be a folder in which this user can write`,
      )
    }
  }

  #removeOldParts(): void {
    if (!existsSync(this.#folder)) return
    for (const name of readdirSync(this.#folder).filter((one) => one.endsWith(PART_SUFFIX))) {
      const path = join(this.#folder, name)
      const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
      if (age > MAX_PART_AGE_MS) rmSync(path, { force: true })
    }
  }
}

function parseState(text: string): RulesetState | null {
  try {
    const state = JSON.parse(text) as Partial<RulesetState> | null
    const { active, previous, rolledBack } = state ?? {}
    const isGood = [active, previous, rolledBack].every((release) => release === null || isRelease(release))
    return isGood ? (state as RulesetState) : null
  } catch {
    return null
  }
}

function writeSynced(file: string, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
