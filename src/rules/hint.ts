import { closestMatch } from 'leven'

/** The known word that a misspelt one may stand for. */
export function closest(value: string, known: readonly string[]): string | undefined {
  const maxDistance = value.length < 5 ? 1 : Math.max(2, Math.floor(value.length / 3)) // Two letters swapped are two edits.
  return closestMatch(value, [...known], { maxDistance })
}

/** `; did you mean "x"?` where something close exists, else ''. */
export function hint(value: string, known: readonly string[]): string {
  const close = closest(value, known)
  return close === undefined ? '' : `; did you mean "${close}"?`
}
