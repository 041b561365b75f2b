/** A name or a word: letters, digits and the characters that names in code contain. */
const TOKEN = /[\p{L}\p{N}_$-]+/gu
/** A token of nothing but hyphens separates others. */
const RULER = /^-+$/

/** Splits a text into words and names, in lower case, without what separates them: punctuation, quotes and space. */
export function splitTokens(text: string): string[] {
  return (text.toLowerCase().match(TOKEN) ?? []).filter((token) => !RULER.test(token))
}

/** A part of a name: `hero` and `banner` of `heroBanner`, `hero-banner` and `hero_banner`. */
const PART = /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\p{L}+/gu

/** Splits names into their parts, in lower case. */
export function splitParts(text: string): string[] {
  return (text.match(PART) ?? []).map((part) => part.toLowerCase())
}
