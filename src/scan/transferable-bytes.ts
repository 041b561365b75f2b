/** Returns bytes that can be transferred alone. A view is copied, because transferring it would detach its whole buffer. */
export function toTransferable(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? bytes : new Uint8Array(bytes)
}
