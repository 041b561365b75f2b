import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import type { Detector } from '../engine/page/detector.ts'
import { splitDocuments } from '../yaml/documents.ts'
import { discoverRules } from './discover.ts'
import { RULESET_FORMAT } from './ruleset-format.ts'

/** Computes a hash of the rules of a folder that changes with any byte of a rule, apart from its tests, and with any stray file. */
export function hashRules(folder: string): string {
  // Latin 1 has a character for each byte, so bytes that are not UTF-8 count, too.
  return hashFiles(folder, (file) => Buffer.from(splitDocuments(readFileSync(file, 'latin1')).first, 'latin1'))
}

/**
 * Computes a hash that changes when a file is written, moved or replaced: by sizes and times, as Git finds changed files. Programs
 * cannot set the time of the last change of status (ctime), so an older file with the same size is noticed too.
 */
export function hashState(folder: string): string {
  return hashFiles(folder, readState)
}

/** Reads the size and the times of a file, by which a change is noticed. */
export function readState(file: string): string {
  const { size, mtimeMs, ctimeMs } = statSync(file)
  return `${size} ${mtimeMs} ${ctimeMs}`
}

/** Computes the version of a ruleset from the hashes of the rules of its folders and the places that rules can name. */
export function computeVersion(
  rules: readonly string[],
  detectors: readonly Pick<Detector, 'key' | 'family' | 'word'>[],
): string {
  const places = detectors.map(({ key, family, word }) => [key, family, word])
  return shorten(
    createHash('sha256')
      .update(JSON.stringify([RULESET_FORMAT, places, rules]))
      .digest('hex'),
  )
}

/** Computes the version of the rules of some folders as they are now. */
export function computeFingerprint(folders: readonly string[], detectors: readonly Detector[]): string {
  return computeVersion(folders.map(hashRules), detectors)
}

function hashFiles(folder: string, read: (file: string) => string | Uint8Array): string {
  const hash = createHash('sha256')
  const { shown, rules, categoriesFile, findings } = discoverRules(folder)
  const name = (file: string): string =>
    file.startsWith(shown + sep) ? file.slice(shown.length + 1) : relative(folder, file)
  for (const { file } of findings) hash.update(`\nstray ${name(file)}`)
  for (const file of [...(categoriesFile === null ? [] : [categoriesFile]), ...rules.map((rule) => rule.file)])
    hash.update(`\n${name(file)}\n`).update(read(file))
  return shorten(hash.digest('hex'))
}

function shorten(hash: string): string {
  return hash.slice(0, 16)
}
