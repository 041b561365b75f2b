/** A shorter part occurs in most texts. */
const MIN_PART_CHARACTERS = 3

// One step of a pattern, outside of groups: a letter, a set, an assertion or the start of a group.
const LETTER = /[\w ,;:'"!@#%&=<>~/-]|\\[^\w\s]/y
const OTHER = /\[(?:[^\]\\]|\\.)*\]|\\[bBdDsSwWtnrfv]|[.^$]/y
const QUANTIFIER = /(?:[?*+]|\{\d+(?:,\d*)?\})\??/y
/** One step inside of a group. */
const GROUP_STEP = /\[(?:[^\]\\]|\\.)*\]|\\.|./sy

/**
 * Finds the longest text that everything contains that a pattern matches: `mod_perl/` for `\bmod_perl/(\d+)?`. Only letters outside
 * of groups are read.
 * @param match a pattern that ignores case or not
 * @returns undefined if there is none of at least three characters, or if the pattern has alternatives outside of groups
 */
export function findRequiredPart(match: string): string | undefined {
  let longest = ''
  let run = ''
  const endRun = (): void => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (let at = 0; at < match.length; ) {
    const letter = readAt(LETTER, match, at)
    const step = letter ?? readAt(OTHER, match, at) ?? readGroup(match, at)
    if (step === undefined) return undefined
    at += step.length
    const quantifier = readAt(QUANTIFIER, match, at) ?? ''
    at += quantifier.length
    if (letter !== undefined && (quantifier === '' || quantifier.startsWith('+'))) run += letter.slice(-1)
    if (letter === undefined || quantifier !== '') endRun()
  }
  endRun()
  return longest.length < MIN_PART_CHARACTERS ? undefined : longest
}

function readAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Reads a whole group with the groups inside of it. */
function readGroup(match: string, start: number): string | undefined {
  if (match[start] !== '(') return undefined
  let depth = 0
  for (let at = start; at < match.length; ) {
    const step = readAt(GROUP_STEP, match, at) ?? ''
    at += step.length
    if (step === '(') depth++
    if (step === ')' && --depth === 0) return match.slice(start, at)
  }
  return undefined
}
