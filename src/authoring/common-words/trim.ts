/**
 * Removes characters of a set from the end of a text. A pattern such as `/[-_]+$/` would begin a search at each of them, which takes
 * a time that is quadratic in their number.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1])) end--
  return text.slice(0, end)
}

/** Removes characters of a set from both ends of a text. */
export function trimEdges(text: string, characters: string): string {
  const rest = trimEnd(text, characters)
  let start = 0
  while (start < rest.length && characters.includes(rest[start])) start++
  return rest.slice(start)
}
