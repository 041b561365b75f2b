import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A character of another script, and the backslashes before it. */
const OTHER = /(\\*)(\P{ASCII})/gu

/** Templates whose raw text is read. */
const RAW = /String\.raw`[^`]*`/g

/**
 * Writes the characters of other scripts in the modules of a folder as escapes. V8 keeps a module with any character above U+00FF in two
 * bytes for each of its characters, and decoding one that is plain ASCII is a copy.
 * @param {string} folder
 * @throws Error for a character in a template whose raw text is read: an escape would change it
 */
export function escapeNonAscii(folder) {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.js'))) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    const raw = (text.match(RAW) ?? []).find((one) => /\P{ASCII}/u.test(one))
    if (raw !== undefined) throw new Error(`${name}: a raw template is not ASCII: ${raw}`)
    const escaped = text.replace(OTHER, (_, slashes, character) => {
      // An odd backslash would escape that of the escape.
      const kept = slashes.length % 2 === 1 ? slashes.slice(1) : slashes
      return kept + escapeUnits(character)
    })
    if (escaped !== text) writeFileSync(file, escaped)
  }
}

/** Writes a character as one escape, or as two if it is above U+FFFF. */
function escapeUnits(character) {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
