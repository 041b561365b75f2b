// Bounds on the strings and lists of a result, for any page.

/** Maximum length of a version in characters. */
export const MAX_VERSION = 64
/** Maximum length of a URL in a result in characters. */
export const MAX_URL = 2048
/** Maximum length of the title of a page in characters. */
export const MAX_TITLE = 500
/** Maximum number of technologies, and therefore also of versions. */
export const MAX_TECHNOLOGIES = 256
/**
 * Maximum number of rules in the evidence. Rules that are part of the result come first, then those with more points.
 */
export const MAX_EVIDENCE = 100
/** Maximum number of characters of all texts in the evidence. */
export const MAX_EVIDENCE_TEXT = 65_536
/** Maximum number of warnings of a result, and of characters of one warning. */
export const MAX_WARNINGS = 50
export const MAX_WARNING = 500

/** Cuts a text, but never between two surrogates of a character. */
export function cutText(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')
}

/** Cuts a text to one line: white space and control characters become single spaces. */
export function cutLine(text: string, characters: number): string {
  const line = text.slice(0, 4 * characters).replace(/[\s\p{Cc}]+/gu, ' ')
  return cutText(line.trim(), characters).trimEnd()
}

/** Cuts a list of warnings to the bounds of a result. */
export function boundWarnings(warnings: readonly string[]): string[] {
  const shown = warnings.slice(0, MAX_WARNINGS).map((warning) => cutLine(warning, MAX_WARNING))
  const left = warnings.length - MAX_WARNINGS
  return left > 0 ? [...shown.slice(0, -1), `${left + 1} more warnings were omitted`] : shown
}
