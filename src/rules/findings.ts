/** A fault of a rule file, as data; its sentence is made here and nowhere else. */
export interface Finding {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly column: number
  readonly level: 'error' | 'warning'
  readonly code: FindingCode
  readonly sentence: string
}

/** Where a finding stands. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** What may be wrong: code → level and sentence, `{…}` filled from the finding. Each stands in docs/findings.md as well. */
const FINDINGS = {
  'bad-category': ['error', '"{value}" is no {list} category of categories.yaml{hint}'],
  'bad-detector-word': ['error', '"{value}" is no word of {place}, which has {list}{hint}'],
  'bad-fixture-page': ['error', 'this page cannot be scanned: {reason}'],
  'bad-locator': ['error', '{reason}'],
  'bad-pattern': ['error', 'the pattern is no regular expression: {reason}'],
  'bad-relation': ['error', 'excludes: {value} cannot be: {reason}'],
  'bad-selector': ['error', '{reason}'],
  'bad-slug': ['error', 'the file name is the slug: "{value}" must be lower-case letters, digits and hyphens'],
  'bad-value': ['error', '{key} must be {wanted}{hint}'],
  'bad-yaml': ['error', 'this is no YAML: {reason}'],
  'case-star': ['error', 'a * at the end of "{value}" needs at least three characters before it'],
  'dead-also': ['error', 'also: {value} does not fire on this page'],
  'duplicate-clause': ['error', 'this clause stands in line {line} already: what it finds would count twice'],
  'duplicate-slug': ['error', 'the slug {slug} is taken by {other}'],
  'empty-rule': ['error', '{reason}'],
  'group-atleast': ['error', 'atLeast of a group goes with `of`: write { atLeast: {n}, of: [ … ] }'],
  'group-tests': ['error', '{key} is a test of one place: it cannot stand beside {group}'],
  'group-weight': ['error', 'weight stands on the outermost group alone'],
  'heavy-weight': ['error', 'weight: {value} asks for more than {cap}, the most this clause can give: {reason}'],
  'hit-differs': ['error', 'this page gives {key} {got}, the hit says {wanted}'],
  'misplaced-key': ['error', '{key} belongs to {owner}, not to {kind}'],
  'miss-fires': ['error', 'this miss fires: {level} by {clauses}'],
  'missing-key': ['error', '{key} is missing{where}'],
  'missing-test': ['error', 'there is no {file} beside this rule'],
  'mixed-families': [
    'error',
    'the clauses of an `any` are of one family: {families}; write them as clauses of their own',
  ],
  'needless-pattern': ['error', 'this match says no more than {instead}: write that'],
  'needless-weight': ['error', 'weight: {value} is what this clause has anyway: leave it away'],
  'no-place': ['error', 'this clause names no place: one of {list}, or a group (all, any, not, of)'],
  'nothing-positive': ['error', 'nothing here must be there: a `not` needs another clause beside it'],
  'relation-cycle': ['error', '{key} goes round in a circle: {path}'],
  'short-literal': ['error', '"{value}" is too short to look for: a literal has at least three characters'],
  'short-page': ['error', 'a fixture is a plausible page of five lines or more; this one has {lines}'],
  'stray-file': ['error', 'nothing reads this file: {reason}'],
  'two-places': ['error', 'a clause looks at one place, this one at {list}: make it two, or a group'],
  'unknown-key': ['error', 'the key "{key}" is unknown{hint}'],
  'unknown-slug': ['error', '"{value}" is no {what} of a {kind}{hint}'],
  'unrelated-hit': ['error', '{slug} fires on this page as well ({level}): relate the two rules, or list it in `also`'],
  'unsafe-pattern': ['error', 'this match can take very long on a hostile page: {reason}'],
  'version-group': ['error', 'version: {value} asks for a capture group that the match does not have'],
  'wide-pattern': [
    'error',
    'a match that begins with {value} tries every position of the page: begin with what must stand there',
  ],
} as const satisfies Record<string, readonly ['error' | 'warning', string]>

export type FindingCode = keyof typeof FINDINGS

/** All codes with their level and sentence, for the docs. */
export const findingTable: ReadonlyMap<string, readonly [level: string, sentence: string]> = new Map(
  Object.entries(FINDINGS),
)

/** Makes a finding: the sentence's `{…}` are filled from `details`. */
export function finding(
  code: FindingCode,
  at: Place,
  details: Readonly<Record<string, string | number>> = {},
): Finding {
  const [level, template] = FINDINGS[code]
  const sentence = template.replace(/\{(\w+)\}/g, (whole, key: string) =>
    String(details[key] ?? (key === 'hint' || key === 'where' ? '' : whole)),
  )
  return { file: at.file, line: at.line, column: at.column, level, code, sentence }
}

/** `file:line:column  level  sentence  code` */
export function formatFinding({ file, line, column, level, sentence, code }: Finding): string {
  return `${file}:${line}:${column}  ${level}  ${sentence}  ${code}`
}

/** In the order people read files. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.code.localeCompare(b.code),
  )
}

/** A ruleset that is refused, with everything that is wrong with it. */
export class RulesetError extends Error {
  readonly findings: readonly Finding[]

  constructor(findings: readonly Finding[]) {
    super(`${findings.length} findings in the rules`)
    this.findings = sortFindings(findings)
  }
}
