import { closestMatch } from 'leven'

/** The known word that a misspelt one may stand for. */
export function closest(value: string, known: readonly string[]): string | undefined {
  const maxDistance = Math.max(1, Math.floor(value.length / 3))
  return closestMatch(value, [...known], { maxDistance })
}

/** `; did you mean "x"?` where something close exists, else ''. */
export function hint(value: string, known: readonly string[]): string {
  const close = closest(value, known)
  return close === undefined ? '' : `; did you mean "${close}"?`
}
