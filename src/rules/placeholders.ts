import type { Path, SourceFile } from '../yaml/source-file.ts'
import { buildFinding, type Finding } from './findings.ts'

/** Marks a place that the author of a rule has to fill in. `rules new` writes it. */
const PLACEHOLDER = 'FILL IN:'

/** Writes a placeholder. `what` says in one line what belongs there. */
export function formatPlaceholder(what: string): string {
  return `${PLACEHOLDER} ${what}`
}

/** Whether a value is still to be filled in. */
export function isPlaceholder(value: unknown): boolean {
  return typeof value === 'string' && value.includes(PLACEHOLDER)
}

/** Reports every value of a file that is still to be filled in. A text with several placeholders is reported once for each. */
export function findPlaceholders(file: SourceFile): {
  readonly paths: ReadonlySet<string>
  readonly findings: Finding[]
} {
  const paths = new Set<string>()
  if (!hasPlaceholder(file.data)) return { paths, findings: [] }
  const findings = listTexts(file.data, []).flatMap(({ path, text }) => {
    if (!isPlaceholder(text)) return []
    paths.add(JSON.stringify(path))
    const places = text.split(PLACEHOLDER).slice(1)
    return places.map((rest) =>
      buildFinding('placeholder', file.valueAt(path), { what: rest.split(/[\n<]/, 1)[0].trim() }),
    )
  })
  return { paths, findings }
}

/** Whether a value contains a placeholder: most files have none, and this takes a third of the time of listing their texts. */
function hasPlaceholder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isPlaceholder(value)
  return Object.values(value).some(hasPlaceholder)
}

function listTexts(value: unknown, path: Path): { readonly path: Path; readonly text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, [...path, isList ? Number(key) : key]))
}
