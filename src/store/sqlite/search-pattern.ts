/**
 * Builds a GLOB pattern that matches texts which contain `search` in any case. SQLite's `lower` and LIKE ignore the case of ASCII
 * letters only.
 */
export function buildSearchPattern(search: string): string {
  const characters = [...search].map((character) => {
    const variants = new Set([character, character.toLowerCase(), character.toUpperCase()])
    const single = [...variants].filter((variant) => [...variant].length === 1)
    return single.length > 1 || /[*?[]/.test(character) ? `[${single.join('')}]` : character
  })
  return `*${characters.join('')}*`
}
