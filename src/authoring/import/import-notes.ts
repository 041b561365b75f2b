/** Whether a part of a fingerprint is missing in the rule, or is in it with another meaning. */
export type NoteEffect = 'left out' | 'changed'

/** Everything that an import reports: reason → effect and sentence. docs/import.md lists them. */
const NOTES = {
  'bad-pattern': ['left out', 'the pattern is not a valid regular expression: {detail}'],
  'bad-selector': ['left out', 'the selector is not supported: {detail}'],
  'bad-value': ['left out', 'the value has a form that the format does not define'],
  'bad-website': ['left out', 'the website is not an http or https URL'],
  category: ['changed', 'a rule has one category: the first one was taken, {detail} left out'],
  'cut-pattern': ['changed', 'the whole pattern cannot be proved to be fast on any page: {detail}'],
  cycle: ['left out', 'implying {detail} would form a cycle'],
  'dns-type': ['left out', 'records of this type are not looked up'],
  'files-of-others': [
    'changed',
    'the text is too common for whole files: only the code of the page itself is searched',
  ],
  implied: ['changed', 'a rule implies without a confidence or a version: {detail} left out'],
  'no-clause': ['left out', 'nothing of the fingerprint can be seen, and no other one implies it: no rule was written'],
  'no-literal': ['left out', 'the pattern requires no text of {detail} characters, which the index needs'],
  'no-place-global': ['left out', 'variables of scripts are not seen'],
  'no-place-probe': ['left out', 'other paths of the site are not requested'],
  'no-place-property': ['left out', 'properties that scripts set are not seen'],
  'no-place-request': ['left out', 'requests of scripts are not seen'],
  'no-proof': ['left out', 'the pattern cannot be proved to be fast on any page, and requires no text'],
  'not-used': ['left out', 'rules have no place for this'],
  'known-rule': ['left out', 'the project has {detail}, and --skip-known was given'],
  renamed: ['changed', 'the slug is taken, so the rule is {detail}'],
  repeated: ['left out', 'an earlier fingerprint has the same name'],
  requires: ['changed', 'the format asks for any of {detail}, a rule for all of them'],
  'unknown-category': ['left out', 'no fingerprint and no rule is of category {detail}'],
  'unknown-key': ['left out', 'the format does not define this key'],
  'unknown-name': ['left out', 'no fingerprint and no rule has the name {detail}'],
  'unknown-tag': ['left out', 'the format does not define the tag {detail}'],
  version: ['left out', 'the version refers to a group that the pattern does not have, or that was cut'],
  'weak-pattern': ['changed', 'a confidence of {detail} is a weak clause, which names nothing alone'],
} as const satisfies Readonly<Record<string, readonly [NoteEffect, string]>>

export type NoteReason = keyof typeof NOTES

/** What could not be carried over, or not exactly. */
export interface ImportNote {
  /** Name of the technology. */
  readonly rule: string
  /** Key of the fingerprint, with the name or selector below it: `headers.x-acme`. */
  readonly key: string
  /** The pattern or value as written, at most 200 characters. */
  readonly value: string
  readonly reason: NoteReason
  readonly effect: NoteEffect
  readonly sentence: string
}

const MAX_VALUE_CHARACTERS = 200

/** Builds a note. @param detail what the sentence of the reason inserts */
export function buildNote(
  at: Pick<ImportNote, 'rule' | 'key'> & { readonly value: unknown },
  reason: NoteReason,
  detail = '',
): ImportNote {
  const [effect, sentence] = NOTES[reason]
  const value = typeof at.value === 'string' ? at.value : JSON.stringify(at.value)
  return {
    rule: at.rule,
    key: at.key,
    value: (value ?? '').slice(0, MAX_VALUE_CHARACTERS),
    reason,
    effect,
    sentence: sentence.replace('{detail}', () => detail),
  }
}

/** Reasons with their effect and sentence, sorted, for the documentation. */
export const NOTE_TABLE: readonly (readonly [NoteReason, NoteEffect, string])[] = Object.entries(NOTES)
  .map(([reason, [effect, sentence]]) => [reason as NoteReason, effect, sentence] as const)
  .sort(([a], [b]) => (a < b ? -1 : 1))
