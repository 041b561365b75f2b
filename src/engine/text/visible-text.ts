/** Controls that reorder or hide text: a page could make its text look like another one with them. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu
const WHITE_SPACE = /[\s\u2028\u2029]+/g
/** Marks that are stacked on a letter. A few are normal; hundreds cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

/**
 * Makes a text of a scanned site safe to look at: in one line, without control characters, and cut to a length. Escaping it for
 * HTML is the renderer's task.
 */
export function makeVisible(text: string, maxCharacters = 300): string {
  const line = text.replace(WHITE_SPACE, ' ').replace(INVISIBLE, '\ufffd').replace(STACKED_MARKS, '$1').trim()
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Escapes the same characters in a JSON text, which does not change its value. */
export function escapeInvisible(json: string): string {
  // Line breaks between the lines of a formatted text are the only control characters that JSON may contain.
  return json.replace(INVISIBLE, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns a URL that may be a link: the address of a website, and nothing that runs in this page. */
export function parseLink(url: string | null): string | null {
  if (url === null || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return null
  return new URL(url).href
}
