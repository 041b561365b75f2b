/** A part of a text, from the first offset up to the second one, and what replaces it. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits to a text. They must not overlap; their order does not matter. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const fromEnd = [...edits].sort((a, b) => b.start - a.start)
  return fromEnd.reduce((all, { start, end, text: insert }) => all.slice(0, start) + insert + all.slice(end), text)
}
