import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { ImportNote } from '../../authoring/import/import-notes.ts'
import { type ImportResult, importRules } from '../../authoring/import/import-rules.ts'
import { type FingerprintSet, readFingerprints } from '../../authoring/import/read-fingerprints.ts'
import { SetupError } from '../../errors.ts'
import { findNamespace } from '../../rules/checks/set-checks.ts'
import { checkFolders } from '../../rules/load/load.ts'
import { PatternJudge } from '../../rules/patterns/pattern-judge.ts'
import { SLUG } from '../../rules/schema.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { checkImport } from './check-import.ts'
import type { LoadedRules, RuleWork } from './rule-work.ts'

/** The beginning of the slug of an imported rule that another rule has. */
const DEFAULT_PREFIX = 'imported-'
/** Number of technologies that the report names for each reason. */
const SHOWN_NAMES = 5

/** Imports fingerprints, or compares what imported rules name with what another tool named. */
export function importOrCheck(given: Given, io: CommandIo): RuleWork {
  return 'check' in given.values || 'against' in given.values ? checkImport(given, io) : importFiles(given, io)
}

function importFiles(given: Given, io: CommandIo): RuleWork {
  const { args, values } = given
  const out = readTextOption(given, 'out')
  const report = readTextOption(given, 'report')
  const prefix = readTextOption(given, 'prefix') ?? DEFAULT_PREFIX
  if (args.length === 0) throw new UsageError('import needs files or folders with fingerprints')
  if (out === undefined) throw new UsageError('import needs --out FOLDER')
  if (!SLUG.test(`${prefix}x`))
    throw new UsageError(`--prefix "${prefix}" must be lower-case letters, digits and hyphens, such as acme-`)
  if (existsSync(out) && (!statSync(out).isDirectory() || readdirSync(out).length > 0))
    throw new UsageError(`--out: "${out}" exists and is not an empty folder`)
  const files = args.flatMap(listJsonFiles)
  return (loaded) => {
    const set = readFiles(files)
    const judge = new PatternJudge()
    const result = importRules(set, { ...findKnown(loaded), judge, prefix, skipsKnown: values['skip-known'] === true })
    judge.close()
    for (const { path, text } of result.files) {
      mkdirSync(dirname(join(out, path)), { recursive: true })
      writeFileSync(join(out, path), text, { flag: 'wx' })
    }
    if (report !== undefined) writeFileSync(report, formatReport(set, result))
    io.stdout.write(describeImport(set, result, out))
    return EXIT.ok
  }
}

/**
 * Lists the JSON files of a folder and its folders in the order of their paths, or one file.
 * @throws UsageError when there is none
 */
function listJsonFiles(path: string): string[] {
  if (!existsSync(path)) throw new UsageError(`there is no file or folder "${path}"`)
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.json')).sort()
  if (files.length === 0) throw new UsageError(`the folder "${path}" has no JSON file`)
  return files.map((name) => join(path, name))
}

/** @throws SetupError for a file that is not JSON, or contains something else than fingerprints */
function readFiles(files: readonly string[]): FingerprintSet {
  const sets = files.map((file) => {
    try {
      return readFingerprints([JSON.parse(readFileSync(file, 'utf8'))])
    } catch (error) {
      throw new SetupError(`${relative('.', file)}: ${(error as Error).message}`)
    }
  })
  return {
    fingerprints: sets.flatMap(({ fingerprints }) => fingerprints),
    categories: new Map(sets.flatMap(({ categories }) => [...categories])),
  }
}

/** Finds the categories of the loaded rules, and the rules whose slugs and names are taken. */
function findKnown({ folders, detectors }: LoadedRules) {
  const { rules, categories, places } = checkFolders({ folders, detectors })
  const known = rules.flatMap(({ found, source }) =>
    source !== null && findNamespace(found.kind) === findNamespace('technology')
      ? [{ slug: found.slug, name: source.name }]
      : [],
  )
  return { categories, places, known }
}

/** Groups notes by reason, the most frequent first. */
function groupNotes(notes: readonly ImportNote[]): readonly (readonly [string, readonly ImportNote[]])[] {
  const groups = new Map<string, ImportNote[]>()
  for (const note of notes) groups.set(note.reason, [...(groups.get(note.reason) ?? []), note])
  return [...groups].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
}

/** Describes an import for people: what was written, and for each reason how often and where something was not carried over. */
function describeImport({ fingerprints }: FingerprintSet, result: ImportResult, out: string): string {
  const { rules, clauses, notes } = result
  const lines = [
    `${formatCount(fingerprints.length, 'fingerprint')}: ${formatCount(rules, 'rule')} with ${formatCount(clauses, 'clause')} in ${out}`,
  ]
  for (const effect of ['left out', 'changed'] as const) {
    const own = notes.filter((note) => note.effect === effect)
    if (own.length === 0) continue
    lines.push('', `${effect}: ${own.length}`)
    for (const [reason, group] of groupNotes(own)) {
      const names = [...new Set(group.map(({ rule }) => rule))]
      const more = names.length > SHOWN_NAMES ? ` and ${names.length - SHOWN_NAMES} more` : ''
      lines.push(`  ${String(group.length).padStart(6)}  ${reason}: ${names.slice(0, SHOWN_NAMES).join(', ')}${more}`)
    }
  }
  if (notes.length > 0)
    lines.push(
      '',
      '--report FILE writes each of them with its key, value and reason; docs/import.md explains the reasons.',
    )
  return `${lines.join('\n')}\n`
}

/** Formats the report for programs: numbers by reason and key, and every note. */
function formatReport({ fingerprints }: FingerprintSet, { rules, clauses, notes }: ImportResult): string {
  const reasons = Object.fromEntries(groupNotes(notes).map(([reason, group]) => [reason, group.length]))
  return `${JSON.stringify({ fingerprints: fingerprints.length, rules, clauses, reasons, notes }, null, 2)}\n`
}
