/** A pattern of a fingerprint with its tags: `Acme ([\d.]+)\;version:\1\;confidence:50`. */
export interface TaggedPattern {
  /** The regular expression, or the name of a technology in a relation; '' if anything matches. */
  readonly source: string
  /** 0 to 100. */
  readonly confidence: number
  /** The template of the version, such as `\1`, `\1?next:old` or `6`. */
  readonly version?: string
  /** Tags that have no meaning in the format. */
  readonly unknownTags: readonly string[]
}

/** Splits a pattern at `\;` into the expression and its tags. Numbers count as text. */
export function parsePattern(pattern: string | number): TaggedPattern {
  const [source, ...tags] = String(pattern).split('\\;')
  let confidence = 100
  let version: string | undefined
  const unknownTags: string[] = []
  for (const tag of tags) {
    const [, key, value] = /^(\w+):(.*)$/s.exec(tag) ?? []
    if (key === 'confidence' && /^\d+$/.test(value)) confidence = Math.min(100, Number(value))
    else if (key === 'version' && value !== '') version = value
    else unknownTags.push(tag)
  }
  return { source, confidence, ...(version !== undefined && { version }), unknownTags }
}
