import { closestMatch } from 'leven'

/** Finds the known word that a misspelled one most likely means. */
export function findClosest(value: string, known: readonly string[]): string | undefined {
  const maxDistance = value.length < 5 ? 1 : Math.max(2, Math.floor(value.length / 3)) // Two swapped letters are two edits.
  return closestMatch(value, [...known], { maxDistance })
}

/** Returns ` (did you mean "x"?)` for the middle of a sentence, or an empty string if no known word is close. */
export function formatAside(value: string, known: readonly string[]): string {
  const close = findClosest(value, known)
  return close === undefined ? '' : ` (did you mean "${close}"?)`
}

/** Returns `; did you mean "x"?`, or an empty string if no known word is close. */
export function formatHint(value: string, known: readonly string[]): string {
  const close = findClosest(value, known)
  return close === undefined ? '' : `; did you mean "${close}"?`
}
