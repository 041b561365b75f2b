import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FINDING_TABLE } from '../../rules/findings.ts'
import { type FileFinding, formatFinding } from '../../yaml/finding.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'

type Format = (findings: readonly FileFinding[]) => string

/** Formats of lists of findings, by the name that `--format` takes. */
const FORMATS: Readonly<Record<string, Format>> = {
  text: (findings) => findings.map((one) => `${formatFinding(one)}\n`).join(''),
  json: (findings) => `${JSON.stringify(findings, ['file', 'line', 'column', 'level', 'code', 'sentence'], 2)}\n`,
  github: (findings) => findings.map((one) => `${formatAnnotation(one)}\n`).join(''),
  sarif: (findings) => `${JSON.stringify(buildSarif(findings), null, 2)}\n`,
}

/** @throws UsageError for a name that is not a format */
export function readFormat(name = 'text'): Format {
  if (Object.hasOwn(FORMATS, name)) return FORMATS[name]
  throw new UsageError(`--format: there is no format "${name}"${formatChoice(name, Object.keys(FORMATS))}`)
}

/** A workflow command of GitHub Actions, which shows the finding next to the line. */
function formatAnnotation({ file, line, column, level, sentence, code }: FileFinding): string {
  const escapeText = (text: string): string =>
    text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const escapeValue = (text: string): string => escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${level} file=${escapeValue(file)},line=${line},col=${column},title=${code}::${escapeText(sentence)}`
}

/** Builds a log in the Static Analysis Results Interchange Format 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
function buildSarif(findings: readonly FileFinding[]): unknown {
  const codes = [...new Set(findings.map(({ code }) => code))].sort()
  const rules = codes.map((id) => {
    const [level, sentence] = FINDING_TABLE.get(id) ?? ['error', id]
    return { id, shortDescription: { text: sentence }, defaultConfiguration: { level } }
  })
  const results = findings.map(({ file, line, column, level, sentence, code }) => ({
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level,
    message: { text: sentence },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: formatUri(file) },
          region: { startLine: line, startColumn: column },
        },
      },
    ],
  }))
  const run = { tool: { driver: { name: 'Siteprint', rules } }, columnKind: 'utf16CodeUnits', results }
  return { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }
}

function formatUri(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href
  return file.split(/[/\\]/).map(encodeURIComponent).join('/')
}
