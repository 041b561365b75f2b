import sniffEncoding from 'html-encoding-sniffer'

/** Decodes a document: byte order mark, then the header, then `<meta>` in the first 1 KiB, else windows-1252. Never throws. */
export function decodeHtml(bytes: Uint8Array, contentType: string | undefined): string {
  const label = /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1]
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: label })
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes) // A label the platform cannot decode (`replacement`, `x-user-defined`).
  }
}
