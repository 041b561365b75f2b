import { closestMatch } from 'leven'

/** `; did you mean "x"?` where something close exists, else ''. */
export function hint(value: string, known: readonly string[]): string {
  const maxDistance = Math.max(1, Math.floor(value.length / 3))
  const close = closestMatch(value, known as string[], { maxDistance })
  return close === undefined ? '' : `; did you mean "${close}"?`
}
