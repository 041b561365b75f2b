import { createHash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { PackedRuleset } from '../engine/lookup/ruleset.ts'
import {
  type OpenedFile,
  openRulesetFile,
  type RulesetOrigin,
  writeRulesetFile,
} from '../engine/lookup/ruleset-file.ts'
import type { Detector } from '../engine/page/detector.ts'
import { SectionsFileError } from '../engine/text/sections-file.ts'
import { SetupError } from '../errors.ts'
import { deleteOldest, writeWhole } from './cache-files.ts'
import { computeVersion, hashRules, hashState } from './fingerprint.ts'

/** The folder of the rules that come with Siteprint. A package has the built file only. */
export const ownFolder = join(projectFolder(), 'rules')
/** The built file is part of the build: code that runs from its sources never uses a file that older code has built. */
export const builtFile = join(import.meta.dirname, '..', '..', 'ruleset.bin')

/** The inputs of a ruleset. */
export interface RulesetParts {
  /** Replaces the rules that come with Siteprint. */
  readonly own?: string
  /** Additional rule folders. */
  readonly folders?: readonly string[]
  /** All detectors, including the built-in ones. */
  readonly detectors: readonly Detector[]
  /** Built file of `own`. */
  readonly built?: string
  /** Folder that keeps compiled rulesets with additional folders or detectors; none by default. */
  readonly cache?: string | null
}

/** A compiled ruleset that was found, or what is needed to compile it. */
export interface RulesetSearch {
  readonly version: string
  readonly file: OpenedFile | null
  /** Where the compiled ruleset is kept for the next start; null if nowhere. */
  readonly target: string | null
}

interface KnownPlaces {
  readonly detectors: readonly Pick<Detector, 'key' | 'family' | 'word'>[]
}

/** Lists the rule folders of a ruleset, that of Siteprint first. */
export function listFolders({ own = ownFolder, folders = [] }: Pick<RulesetParts, 'own' | 'folders'>): string[] {
  return [...new Set([own, ...folders])]
}

/**
 * Finds the compiled ruleset of some rules: the built file, or one that an earlier start has kept. Files that have not changed since
 * the build are not read: reading them takes longer than everything else of a start.
 * @throws SetupError if the built file is damaged and there are no rules to compile
 */
export function findRuleset(parts: RulesetParts): RulesetSearch {
  const { own = ownFolder, built = builtFile } = parts
  return searchRuleset(parts, readIfUsable(built, existsSync(own)))
}

/**
 * Reads the built file of the rules that come with Siteprint, whether or not it is that of the YAML. Returns null if it is missing or
 * damaged, and the rules are here.
 * @throws SetupError if it is damaged and there are no rules to compile
 */
export function readBuilt(): OpenedFile | null {
  return readIfUsable(builtFile, existsSync(ownFolder))
}

/**
 * Finds the compiled ruleset of rule folders and the built-in detectors, without loading these: the built file knows their places.
 * Returns null if the rules have to be compiled.
 * @param file what `readBuilt` has read
 * @throws SetupError if the built file is damaged and there are no rules to compile
 */
export function findCompiled(parts: Pick<RulesetParts, 'folders' | 'cache'>, file = readBuilt()): OpenedFile | null {
  return file === null ? null : searchRuleset({ ...parts, detectors: file.known }, file).file
}

/** Whether the rules that come with Siteprint are here as the built file only, as in a package. */
export function isPackaged(): boolean {
  return !existsSync(ownFolder)
}

/**
 * Opens the built file of the rules that come with Siteprint, whether or not it is that of the YAML.
 * @throws SetupError if it is missing or damaged
 */
export function openBuiltFile(): OpenedFile {
  const file = readIfUsable(builtFile, false)
  if (file === null) throw new SetupError(`${builtFile} is missing: install Siteprint again`)
  return file
}

/** @param file the built file of the rules of Siteprint */
function searchRuleset(
  { own = ownFolder, cache = null, ...parts }: Omit<RulesetParts, 'detectors'> & KnownPlaces,
  file: OpenedFile | null,
): RulesetSearch {
  const folders = listFolders({ own, ...parts })
  const rules = folders.map((folder) => (folder === own ? identifyOwn(own, file) : identifyFolder(folder, cache)))
  const version = computeVersion(rules, parts.detectors)
  if (file?.version === version) return { version, file, target: null }
  if (cache === null) return { version, file: null, target: null }
  const target = join(cache, `ruleset-${version}.bin`)
  const kept = readIfUsable(target, true)
  return { version, file: kept?.version === version ? kept : null, target }
}

/** Returns the hash of the rules of Siteprint: that of the build if no file has changed since. */
function identifyOwn(own: string, file: OpenedFile | null): string {
  if (file !== null && (!existsSync(own) || file.origin.state === hashState(own))) return file.origin.rules
  return hashRules(own)
}

/** Returns the hash of the rules of a folder: the one that an earlier start has kept, if no file has changed since. */
function identifyFolder(folder: string, cache: string | null): string {
  if (cache === null) return hashRules(folder)
  const state = hashState(folder)
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16)
  const known = join(cache, `folder-${name}.json`)
  try {
    const { state: before, rules } = JSON.parse(readFileSync(known, 'utf8')) as Omit<RulesetOrigin, 'date'>
    if (before === state) return rules
  } catch {
    // There is no earlier start, or its file is damaged.
  }
  const rules = hashRules(folder)
  try {
    writeWhole(known, JSON.stringify({ state, rules }))
    deleteOldest(cache, /^folder-\w+\.json$/, MAX_FOLDERS)
  } catch {
    // The cache cannot be written, which is reported when the compiled rules are.
  }
  return rules
}

/** Folders whose hashes are kept. */
const MAX_FOLDERS = 64

/**
 * Reads a compiled ruleset into memory that threads can share. Returns null if there is no such file.
 * @param isOptional returns null for a damaged file too
 */
function readIfUsable(file: string, isOptional: boolean): OpenedFile | null {
  if (!existsSync(file)) return null
  try {
    return openRulesetFile(readShared(file))
  } catch (error) {
    if (isOptional) return null
    if (!(error instanceof SectionsFileError)) throw error
    throw new SetupError(
      `${file}: ${error.message}; run \`npm run -s build\` in a checkout, or install Siteprint again`,
    )
  }
}

function readShared(file: string): SharedArrayBuffer {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = new SharedArrayBuffer(fstatSync(descriptor).size)
    const bytes = new Uint8Array(buffer)
    for (let at = 0, read = 1; read > 0 && at < bytes.length; at += read)
      read = readSync(descriptor, bytes, at, bytes.length - at, at)
    return buffer
  } finally {
    closeSync(descriptor)
  }
}

/** Describes the rules of a folder as they are now, for the file that is built from them. */
export function describeOrigin(own: string): Omit<RulesetOrigin, 'date'> {
  return { state: hashState(own), rules: hashRules(own) }
}

/** Writes a compiled ruleset. @throws the errors of `fs` */
export function writeBuilt(file: string, ruleset: PackedRuleset, origin?: RulesetOrigin): void {
  writeWhole(file, writeRulesetFile(ruleset, origin))
}

/** Compiled rulesets that are kept: those of the last versions of an operator's rules. */
const MAX_KEPT = 8

/** Keeps a compiled ruleset for the next start, and deletes those that were written longest ago. @throws the errors of `fs` */
export function keepCompiled(file: string, ruleset: PackedRuleset): void {
  writeBuilt(file, ruleset)
  deleteOldest(dirname(file), /^ruleset-\w+\.bin$/, MAX_KEPT)
}

/** The folder of the project, whether this module runs from the sources or from a build. */
export function projectFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = join(folder, '..')
  return folder
}
