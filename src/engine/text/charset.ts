import sniffEncoding from 'html-encoding-sniffer'

/** Decodes a document by byte order mark, header, `<meta>` in the first 1 KiB, or else windows-1252. It never throws. */
export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): string {
  const label = /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1]
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: label })
  if (encoding === 'windows-1252') return decodeWestern(bytes)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return decodeWestern(bytes) // The platform cannot decode this label (`replacement`, `x-user-defined`).
  }
}

// The characters 0x80 to 0x9f in windows-1252 (Encoding standard). The five unassigned ones are not changed.
const FROM_80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const UNITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? FROM_80.charCodeAt(byte - 0x80) : byte,
)

/** Decodes windows-1252. Node 20 treats it as Latin-1, in which quotes, dashes and the euro sign are control characters. */
function decodeWestern(bytes: Uint8Array): string {
  const text = new TextDecoder('windows-1252').decode(bytes)
  if (!/[\x80-\x9f]/.test(text)) return text
  // A table is used because replacing four million characters with a pattern takes half a second.
  const units = new Uint8Array(2 * bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    const unit = UNITS[bytes[i]]
    units[2 * i] = unit & 0xff
    units[2 * i + 1] = unit >> 8
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units)
}

/**
 * Decodes a text whose characters are the bytes of UTF-8, as tools save it that take every response for Latin-1. Any other text
 * is returned as it is. The end of the text may be inside a character, because such tools cut what they save.
 */
export function decodeBinaryString(text: string): string {
  // The other order takes five times as long: V8 keeps texts without the second kind of characters as bytes.
  if (/[\u0100-\uffff]/.test(text) || !/[\xc2-\xf4][\x80-\xbf]/.test(text)) return text
  try {
    const bytes = new Uint8Array(text.length)
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return text
  }
}
