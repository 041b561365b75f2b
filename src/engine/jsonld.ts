/** A JSON-LD block, parsed; null when it cannot be mended. Wrappers and raw control characters are common, and harmless. */
export function parseJsonLd(source: string): unknown {
  const bare = source.replace(/^\s*(?:<!--|(?:\/\/|\/\*)?\s*<!\[CDATA\[(?:\s*\*\/)?)?/, '').replace(/(?:-->|(?:\/\/|\/\*)?\s*\]\]>(?:\s*\*\/)?)?[\s;]*$/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is mended.
  for (const text of [bare, bare.replace(/[\x00-\x1f]+/g, ' ').replace(/,\s*([}\]])/g, '$1'), bare.replace(/&quot;/g, '"')]) {
    try {
      return JSON.parse(text)
    } catch {}
  }
  return null
}
