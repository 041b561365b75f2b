/** Bytes that can be moved alone: a view would take all of its buffer along. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? bytes : new Uint8Array(bytes)
}
