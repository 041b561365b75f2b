// How large a result may become, whatever a page holds: bounds of its strings and lists.

/** Characters of a version. */
export const MAX_VERSION = 64
/** Characters of a URL in a result. */
export const MAX_URL = 2048
/** Technologies, and with them versions. */
export const MAX_TECHNOLOGIES = 256
/** Rules in the evidence; the ones that are part of the result go first, then the ones with more points. */
export const MAX_EVIDENCE = 100
/** Characters of all texts in the evidence together. */
export const MAX_EVIDENCE_TEXT = 65_536
/** Warnings, and characters of one. */
export const MAX_WARNINGS = 50
export const MAX_WARNING = 500

/** Cuts a text, never between the two halves of a character. */
export function cutText(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
}

/** The beginning of a text on one line: white space and control characters become one space. */
export function cutLine(text: string, characters: number): string {
  const line = text.slice(0, 4 * characters).replace(/[\s\p{Cc}]+/gu, ' ')
  return cutText(line.trim(), characters).trimEnd()
}

/** Warnings as a result shows them. */
export function boundWarnings(warnings: readonly string[]): string[] {
  const shown = warnings.slice(0, MAX_WARNINGS).map((warning) => cutLine(warning, MAX_WARNING))
  const left = warnings.length - MAX_WARNINGS
  return left > 0 ? [...shown.slice(0, -1), `${left + 1} further warnings were left out`] : shown
}
