import {
  createFindingBuilder,
  type FindingTable,
  type FileFinding as GenericFinding,
  sortFindings,
  YAML_FINDINGS,
} from '../yaml/finding.ts'

/** Everything that can be wrong with a rule or a test file. docs/findings.md says how to fix each. */
const FINDINGS = {
  ...YAML_FINDINGS,
  'anchored-window': [
    'error',
    '^ and $ match at no fixed place: a match on a {place} sees {characters} characters to each side of the literal; remove them',
  ],
  'bad-category': ['error', '"{value}" is not a {list} category of categories.yaml{hint}'],
  'bad-detector-word': ['error', '{place} does not accept "{value}"; use one of {list}{hint}'],
  'bad-fixture-page': ['error', 'this page cannot be scanned: {reason}'],
  'bad-lifecycle': ['error', 'cycle {cycle} of {slug}: {reason}'],
  'bad-locator': ['error', '{reason}'],
  'bad-pattern': ['error', 'the pattern is not a valid regular expression: {reason}'],
  'bad-relation': ['error', '{key} cannot name {value}: {reason}'],
  'bad-selector': ['error', '{reason}'],
  'bad-slug': ['error', 'the file name "{value}" is not a valid slug: use lower-case letters, digits and hyphens'],
  'broad-clause': [
    'error',
    '{kind} {slug} fires on {pages}, by this clause ({level}): make the clause narrower, or list {slug} in `also` of the page if it is right there',
    'imported rules',
  ],
  'case-star': ['error', 'a * at the end of "{value}" needs at least three characters before it'],
  'common-global': [
    'error',
    '"{value}" is a property of window that browsers or many sites define: find one that only this product has',
    'imported rules',
  ],
  'common-literal': [
    'error',
    '"{value}" is a common word or name, which bundles of every kind contain: find a literal that only this product has',
    'imported rules',
  ],
  'customer-host': [
    'error',
    'the host {value} belongs neither to the website nor to a source of this rule: a rule describes a vendor, not a single site',
    'imported rules',
  ],
  'cut-word': ['error', 'every hit shows "{value}" inside a longer word: write that word from its first letter'],
  'dead-also': ['error', '`also` lists {value}, which does not fire on this page'],
  'duplicate-clause': ['error', 'this clause repeats the one in line {line}: its hits would count twice'],
  'duplicate-name': ['error', 'the name {name} is already used by {other}', 'imported rules'],
  'duplicate-slug': ['error', 'the slug {slug} is already used by {other}'],
  'empty-rule': ['error', '{reason}'],
  'far-miss': ['warning', 'this miss shares no word with its rule, so it shows nothing: make it come closer'],
  'foreign-link': [
    'error',
    'this clause holds by a link to another site, which says nothing about this one: add from: own, or combine it with a clause of another place',
    'imported rules',
  ],
  'frequent-literal': [
    'warning',
    '"{value}" is so common that only its first 100 occurrences in a file are tested: begin with a rarer part',
  ],
  'future-verified': ['error', 'verified {value} is in the future: write the day on which the source was read'],
  'generic-word': [
    'error',
    '"{value}" {where}: find a longer mark, or combine it with another clause',
    'imported rules',
  ],
  'greedy-version': ['error', 'the version group {value} also matches words that are not a version', 'imported rules'],
  'group-atleast': ['error', 'atLeast is only allowed with the group `of`: write { atLeast: {n}, of: [ … ] }'],
  'group-tests': ['error', '{key} tests the values of one place: it is not allowed next to the group {group}'],
  'group-weight': ['error', '{key} is only allowed on the outermost group'],
  'heavy-weight': [
    'error',
    'weight: {value} is more than {cap}, the maximum of this clause: {reason}',
    'imported rules',
  ],
  'hit-differs': ['error', 'the hit expects {key} {wanted}, but this page gives {got}{why}; to see why, run {command}'],
  'label-with-suffix': [
    'error',
    '"{value}" asks for a record below the host of the page: {label}.<host>; to compare what a record contains, write {instead}',
  ],
  'misplaced-key': ['error', '{key} is allowed in {owner}, not in {kind}'],
  'miss-fires': ['error', 'the rule fires on this miss at level {level}: {clauses}; to see why, run {command}'],
  'miss-named': [
    'error',
    'this miss gets {siteType}, the type of its rule: make the clauses narrower, or the page clearer; to see why, run {command}',
  ],
  'missing-test': [
    'error',
    'this rule has no tests: add hits and misses behind a line --- at its end, or in {file} next to it',
    'imported rules',
  ],
  'mixed-families': [
    'error',
    'the clauses of an `any` must belong to one family, not to {families}: write them as separate clauses',
  ],
  'needless-pattern': ['error', 'this match needs no regular expression: write {instead}', 'imported rules'],
  'needless-weight': ['warning', 'weight: {value} is the default weight of this clause: remove it'],
  'no-about': [
    'error',
    'this rule needs the key about: one sentence that says what it is, for people who do not know it',
  ],
  'no-place': ['error', 'this clause has no place: add one of {list}, or a group (all, any, not, of)'],
  'no-quoting-miss': [
    'error',
    'no miss has a script or style sheet that mentions {name}: add one, such as a bundle with an article about it',
  ],
  'not-a-script': [
    'error',
    'no page loads "{value}" as a script, and {place} finds the URLs of scripts: use asset, which finds what else a page loads',
  ],
  'nothing-positive': ['error', 'this clause requires nothing to be present: combine the `not` with a positive clause'],
  overlap: [
    'error',
    '"{value}" is also a word of {slug}, which would fire on the same pages: relate the two rules, or find another mark',
    'imported rules',
  ],
  placeholder: ['error', 'this place is not filled in yet: write {what}'],
  'relation-cycle': ['error', '{key} forms a cycle: {path}'],
  'short-literal': ['error', '"{value}" is too short: a literal needs at least {least} characters here'],
  stale: ['warning', 'verified {value} is more than {months} months ago: read the source again'],
  'stray-file': ['error', 'this path cannot be used: {reason}'],
  'two-places': ['error', 'a clause has one place, but this one has {list}: split it, or use a group'],
  'unknown-network': [
    'error',
    'the table of networks does not have AS{value}: correct the number, or renew the table with node tools/start.mjs tools/networks',
  ],
  'unknown-name': [
    'error',
    'no name, website or source of this rule has "{value}"{hint}: correct it, add its page to `source`, or show it on a hit behind a line --- or in {file}',
    'imported rules',
  ],
  'unknown-slug': ['error', 'no {kind} has the {what} "{value}"{hint}'],
  'unrelated-hit': [
    'error',
    '{slug} also fires on this page ({level}): relate the two rules, or list it in `also`; to see why, run {command} --all',
  ],
  'unproven-clause': ['error', 'this clause holds on no hit of its own rule: add one, or correct the clause'],
  'unproven-word': ['error', 'no hit of this rule shows "{value}": add it to one, or remove it', 'site types'],
  'unsafe-pattern': ['error', 'this match can take very long on a hostile page: {reason}'],
  'vendor-page': [
    'error',
    'this clause also holds on pages that the vendor does not make with the product: it must not hold on {hosts}',
    'imported rules',
  ],
  'version-group': ['error', 'version: {value} refers to a capture group that the match does not have'],
  'weak-source': [
    'error',
    'a search is not a source: its results change, and they show how others use a product',
    'imported rules',
  ],
  'wide-pattern': [
    'error',
    'a match that begins with {value} is tried at every position of the page: begin it with fixed text or ^',
  ],
  'wrong-range': [
    'error',
    '"{value}" is not a range: write the first address, the rest of its bits zero, and a length from /8 to /32, or from /16 to /64 for IPv6',
  ],
  'wrong-site-type': ['error', 'the site type of this page is {wanted}, but its verdict is {got}{clauses}'],
} as const satisfies FindingTable

export type FindingCode = keyof typeof FINDINGS

/** A problem in a rule or a test file. */
export type Finding = GenericFinding<FindingCode>

/** The rules for which an error may be only a warning, as the table names them. */
const IMPORTED = 'imported rules'

/** Lowers the errors of an imported rule that ask for better evidence: it loads, and lint says what would improve it. */
export function lowerForImported(finding: Finding): Finding {
  return FINDING_TABLE.get(finding.code)?.[2] === IMPORTED ? lowerToWarning(finding) : finding
}

/** Lowers a finding to a warning, for the rules that its row in the table names. */
export function lowerToWarning(finding: Finding): Finding {
  return { ...finding, level: 'warning' }
}

export const buildFinding = createFindingBuilder(FINDINGS)

/** All codes with their level and sentence, sorted by code, for the documentation. */
export const FINDING_TABLE: ReadonlyMap<string, FindingTable[string]> = new Map(
  Object.entries<FindingTable[string]>(FINDINGS).sort(([a], [b]) => (a < b ? -1 : 1)),
)

/** Thrown for a ruleset that has errors. It contains all findings. */
export class RulesetError extends Error {
  readonly findings: readonly Finding[]

  constructor(findings: readonly Finding[]) {
    super(`${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} in the rules`)
    this.findings = sortFindings(findings)
  }
}
