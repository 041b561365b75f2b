/**
 * Parses a URL; null if it is invalid. `URL.canParse` cannot be used: in Node 20 it rejects URLs with accents such as
 * `https://bücher.example/` once the call is hot, because its fast path reads Latin-1 as UTF-8.
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}
