const ESCAPE = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(\/))/gi

/**
 * Decodes the escapes in a piece of code that stand for the characters of HTML and URLs: `\x3c`, `<`, `\/`. It is done once:
 * escapes within escapes are text.
 */
export function decodeEscapes(code: string): string {
  if (!code.includes('\\')) return code
  return code.replace(ESCAPE, (_, x: string | undefined, u: string | undefined, slash: string | undefined) =>
    slash === undefined ? String.fromCharCode(Number.parseInt(x ?? u ?? '', 16)) : slash,
  )
}

/**
 * An absolute URL in code, up to the first character that cannot be part of it. The host has to contain a dot, so a comment such as
 * `//note` is none.
 */
const ADDRESS = /(?:https?:)?\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+[^\s"'`<>\\(),|]*/gi
/** Maximum number of addresses that are read from the code of one tag. */
const MAX_ADDRESSES = 200

/** Finds the addresses in a piece of code, whose escapes are decoded. */
export function findAddresses(code: string): string[] {
  const found = new Set<string>()
  for (const [address] of code.matchAll(ADDRESS)) {
    found.add(address)
    if (found.size >= MAX_ADDRESSES) break
  }
  return [...found]
}
