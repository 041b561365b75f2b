/** A position in a file. Lines and columns count from 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A problem in a YAML file, as data. */
export interface FileFinding<Code extends string = string> extends Position {
  readonly level: 'error' | 'warning'
  readonly code: Code
  readonly sentence: string
}

/**
 * Code → level, sentence, and the files for which an error is only a warning, for the documentation. `{name}` in a sentence is
 * replaced by that detail of the finding.
 */
export type FindingTable = Readonly<
  Record<string, readonly [level: FileFinding['level'], sentence: string, warningFor?: string]>
>

/** Builds a finding of one table. */
export type FindingBuilder<Code extends string> = (
  code: Code,
  at: Position,
  details?: Readonly<Record<string, string | number>>,
) => FileFinding<Code>

/** Details that a finding may lack: nothing is inserted for them. */
const OPTIONAL_DETAILS = ['hint', 'where']

/** Problems that any YAML file can have, whatever its schema. */
export const YAML_FINDINGS = {
  'bad-value': ['error', '{key} must be {wanted}{hint}'],
  'bad-yaml': ['error', 'the YAML is not valid: {reason}'],
  'missing-key': ['error', '{key} is missing{where}'],
  'unknown-key': ['error', 'the key "{key}" is unknown{hint}'],
} as const satisfies FindingTable

/** A problem that any YAML file can have. */
export type YamlFinding = FileFinding<keyof typeof YAML_FINDINGS>

export const buildYamlFinding = createFindingBuilder(YAML_FINDINGS)

/** Creates the function that builds the findings of a table. */
export function createFindingBuilder<Table extends FindingTable>(table: Table): FindingBuilder<keyof Table & string> {
  return (code, { file, line, column }, details = {}) => {
    const [level, template] = table[code]
    const sentence = template.replace(/\{(\w+)\}/g, (whole, key: string) =>
      String(details[key] ?? (OPTIONAL_DETAILS.includes(key) ? '' : whole)),
    )
    return { file, line, column, level, code, sentence }
  }
}

/** Formats a finding as `file:line:column  level  sentence  code`. */
export function formatFinding({ file, line, column, level, sentence, code }: FileFinding): string {
  return `${file}:${line}:${column}  ${level}  ${sentence}  ${code}`
}

/** Sorts findings by file, then by position in the file. */
export function sortFindings<One extends FileFinding>(findings: readonly One[]): One[] {
  return [...findings].sort(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.code.localeCompare(b.code),
  )
}
