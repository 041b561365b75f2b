import sniffEncoding from 'html-encoding-sniffer'

/** Decodes a document: byte order mark, then the header, then `<meta>` in the first 1 KiB, else windows-1252. Never throws. */
export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): string {
  const label = /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1]
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: label })
  if (encoding === 'windows-1252') return decodeWestern(bytes)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return decodeWestern(bytes) // A label the platform cannot decode (`replacement`, `x-user-defined`).
  }
}

// What 0x80 to 0x9f are in windows-1252 (Encoding standard); the five that nothing is assigned to stay as they are.
const FROM_80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const UNITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? FROM_80.charCodeAt(byte - 0x80) : byte,
)

/** Windows-1252: Node 20 takes it for Latin-1, where quotes, dashes and the euro are control characters. */
function decodeWestern(bytes: Uint8Array): string {
  const text = new TextDecoder('windows-1252').decode(bytes)
  if (!/[\x80-\x9f]/.test(text)) return text
  // By table: replacing four million characters by a pattern takes half a second.
  const units = new Uint8Array(2 * bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    const unit = UNITS[bytes[i]]
    units[2 * i] = unit & 0xff
    units[2 * i + 1] = unit >> 8
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units)
}
