// A comment, or CDATA that may stand in a script comment, around the data.
const OPENING = /^(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)/
const CLOSING = /(?:-->|(?:(?:\/\/|\/\*)\s*)?\]\]>(?:\s*\*\/)?)$/
/** Characters that a closing wrapper may take: the pattern reads no more, for it would cost by the square of white space. */
const TAIL = 64

// Tried in turn: most blocks need none.
const MENDS: readonly ((text: string) => string)[] = [
  (text) => text,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is mended.
  (text) => text.replace(/[\x00-\x1f]+/g, ' ').replace(/,\s*([}\]])/g, '$1'),
  (text) => text.replace(/&quot;/g, '"'),
]

/** A JSON-LD block, parsed; null when it cannot be mended. Wrappers and raw control characters are common, and harmless. */
export function parseJsonLd(source: string): unknown {
  const bare = withoutEnd(source.trimStart().replace(OPENING, ''))
  const tried = new Set<string>()
  for (const mend of MENDS) {
    const text = mend(bare)
    if (tried.has(text)) continue
    tried.add(text)
    try {
      return JSON.parse(text)
    } catch {}
  }
  return null
}

function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && /[\s;]/.test(text[end - 1])) end--
  const tail = Math.max(0, end - TAIL)
  return text.slice(0, tail) + text.slice(tail, end).replace(CLOSING, '')
}
