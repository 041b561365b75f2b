/** The part of a text that contains a value: from its first character to the one after its last. */
export interface Span {
  readonly from: number
  readonly to: number
}

const QUOTE = 0x22
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** White space, commas and colons. */
const GAP: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a, 0x2c, 0x3a])
const END_OF_PRIMITIVE = /[,\]}]/g

/**
 * Reads the members of the JSON object that begins at `open`, without parsing their values: a container may be cut, or continue with
 * code. A member that has no end extends to the end of the text. Takes linear time.
 */
export function readMembers(text: string, open: number): ReadonlyMap<string, Span> {
  const members = new Map<string, Span>()
  for (let at = skipGap(text, open + 1); text[at] === '"'; ) {
    const keyEnd = findStringEnd(text, at)
    if (keyEnd < 0) break
    const from = skipGap(text, keyEnd)
    const to = findValueEnd(text, from)
    const key = text.slice(at + 1, keyEnd - 1)
    if (!members.has(key)) members.set(key, { from, to: to < 0 ? text.length : to })
    if (to < 0) break
    at = skipGap(text, to)
  }
  return members
}

/** Finds the items of the JSON array that begins at `open`. An item without an end is omitted. */
export function readItems(text: string, open: number, most: number): Span[] {
  const items: Span[] = []
  if (text[open] !== '[') return items
  for (let from = skipGap(text, open + 1); from < text.length && text[from] !== ']'; ) {
    const to = findValueEnd(text, from)
    if (to <= from || items.length >= most) break
    items.push({ from, to })
    from = skipGap(text, to)
  }
  return items
}

/** Parses the items of an array one by one, so that a broken one loses only itself. */
export function parseItems(text: string, span: Span | undefined, most: number): unknown[] {
  return span === undefined
    ? []
    : readItems(text, span.from, most).map(({ from, to }) => parseJson(text.slice(from, to)))
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Skips white space, commas and colons. */
function skipGap(text: string, at: number): number {
  let next = at
  while (GAP.has(text.charCodeAt(next))) next++
  return next
}

/** Finds the end of the value at `from`. @returns -1 if the text ends before it */
function findValueEnd(text: string, from: number): number {
  if (text[from] === '"') return findStringEnd(text, from)
  if (text[from] !== '{' && text[from] !== '[') {
    END_OF_PRIMITIVE.lastIndex = from
    return END_OF_PRIMITIVE.exec(text)?.index ?? -1
  }
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = findStringEnd(text, at) - 1
      if (at < 0) return -1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1
  }
  return -1
}

/** Finds the character after the closing quote of the string at `from`. @returns -1 if it is not closed */
export function findStringEnd(text: string, from: number): number {
  const quote = text[from]
  for (let at = text.indexOf(quote, from + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return -1
}
