import { type FileKind, openSections, writeSections } from '../text/sections-file.ts'
import type { PackedRuleset } from './ruleset.ts'

/** `SPRT`. */
const KIND: FileKind = { magic: 0x54525053, name: 'a compiled ruleset', format: 5 }

/**
 * What a file was built from: hashes of the states and of the content of the files of the project's own rules, and their date; '' for
 * other rules.
 */
export interface RulesetOrigin {
  readonly state: string
  readonly rules: string
  /** The day on which a source of these rules was last read: 2026-11-26. */
  readonly date: string
}

const NO_ORIGIN: RulesetOrigin = { state: '', rules: '', date: '' }

/** What a file says about itself before its sections. */
type RulesetHead = Omit<PackedRuleset, 'sections'> & { readonly origin: RulesetOrigin }

/** A ruleset as it lies in memory, and what it was built from. */
export interface OpenedFile extends PackedRuleset {
  readonly origin: RulesetOrigin
  /** The whole file. Other threads open it with `openRulesetFile`. */
  readonly buffer: ArrayBufferLike
}

/** Writes a compiled ruleset as one file. */
export function writeRulesetFile(
  { version, categories, places, known, sections }: PackedRuleset,
  origin = NO_ORIGIN,
): Uint8Array {
  return writeSections(KIND, { version, categories, places, known, origin } satisfies RulesetHead, sections)
}

/**
 * Opens a compiled ruleset as it lies in memory, without copying it.
 * @param buffer the whole file; workers share it if it is shared memory
 * @param isChecked whether another thread has opened the same memory: then its checksum is not computed again
 * @throws SectionsFileError if the bytes are not a compiled ruleset, cut, changed, or of another format
 */
export function openRulesetFile(buffer: ArrayBufferLike, isChecked = false): OpenedFile {
  const { head, sections } = openSections<RulesetHead>(KIND, buffer, isChecked)
  return { ...head, buffer, sections }
}
