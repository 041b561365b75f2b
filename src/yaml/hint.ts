import leven from 'leven'

/** A shorter word is a part of many others. */
const MIN_CONTAINED = 5
/** A word that contains the other one is closer than its distance says, in edits. */
const CONTAINED_BONUS = 1.5

/** Finds the known word that a misspelled one most likely means: `websites` for `websits`, `website-builder` for `site-builder`. */
export function findClosest(value: string, known: readonly string[]): string | undefined {
  const lower = value.toLowerCase()
  const most = value.length < 5 ? 1 : Math.max(2, Math.floor(value.length / 3)) // Two swapped letters are two edits.
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const word of known) {
    const isPart = isContained(lower, word.toLowerCase())
    const distance = leven(value, word, isPart ? {} : { maxDistance: most + 1 })
    if (distance > most && !isPart) continue
    const rank = distance - (isPart ? CONTAINED_BONUS : 0)
    if (best === undefined || rank < best.distance) best = { word, distance: rank }
  }
  return best?.word
}

/** Whether one word is the beginning or the end of the other. */
function isContained(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= MIN_CONTAINED && (long.startsWith(short) || long.endsWith(short))
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

/** Returns `: use one of x, y`, or `; did you mean "x"? Use one of x, y` if a known word is close. */
export function formatChoice(value: string, known: readonly string[], separator = ':'): string {
  const hint = formatHint(value, known)
  const list = [...new Set(known)].join(', ')
  return hint === '' ? `${separator} use one of ${list}` : `${hint} Use one of ${list}`
}
