import { type Static, Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'

/** A page in a public repository: a line of a manifest. */
const ENTRY = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    /** Owner and name. */
    repository: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9-]*/(?!\\.{1,2}$)[A-Za-z0-9._-]+$' }),
    commit: Type.String({ pattern: '^[0-9a-f]{40}$' }),
    path: Type.String({ pattern: '^[^/\\u0000-\\u001f][^\\u0000-\\u001f]*$' }),
    /** Of the bytes of the file. */
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    /** Where the page was published; null if unknown. */
    url: Type.Union([Type.String({ pattern: '^https?://' }), Type.Null()]),
    /** Slug or name of the builder; null for a page that was made without one. */
    builder: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    /** What the label is known from. */
    evidence: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  },
  { additionalProperties: false },
)

export type CorpusEntry = Static<typeof ENTRY>

const validate = new Ajv().compile<CorpusEntry>(ENTRY)

/** Reads a manifest: one JSON object per line. @returns the entries, and the problems as "line: sentence" */
export function parseManifest(text: string): { readonly entries: CorpusEntry[]; readonly problems: string[] } {
  const entries: CorpusEntry[] = []
  const problems: string[] = []
  const lines = new Map<string, number>()
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const entry = parseEntry(line)
    if (typeof entry === 'string') problems.push(`${i + 1}: ${entry}`)
    else if (lines.has(entry.id))
      problems.push(`${i + 1}: line ${lines.get(entry.id)} has the id "${entry.id}" already`)
    else {
      lines.set(entry.id, i + 1)
      entries.push(entry)
    }
  }
  if (entries.length === 0 && problems.length === 0) problems.push('1: the manifest has no pages')
  return { entries, problems }
}

function parseEntry(line: string): CorpusEntry | string {
  let entry: unknown
  try {
    entry = JSON.parse(line)
  } catch (error) {
    return `the line is not valid JSON: ${(error as Error).message}`
  }
  if (validate(entry)) return entry
  const [{ instancePath, message, params }] = validate.errors ?? []
  const key = instancePath.slice(1) || 'the line'
  return `${key} ${message}${params?.additionalProperty ? `: ${params.additionalProperty}` : ''}`
}
