import type { PageInput } from '../engine/page/page.ts'

/** Returns bytes that can be transferred alone. A view is copied, because transferring it would detach its whole buffer. */
function toTransferable(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? bytes : new Uint8Array(bytes)
}

type Bodies = Pick<PageInput, 'html' | 'scripts' | 'styles'>

/** Replaces all bytes of a page by bytes that can be transferred alone, and lists what has to be transferred. */
export function prepareTransfer<T extends Bodies>(page: T): { readonly page: T; readonly transfer: ArrayBuffer[] } {
  const transfer = new Set<ArrayBuffer>()
  const move = <V>(value: V): V | Uint8Array => {
    if (!(value instanceof Uint8Array)) return value
    const moved = toTransferable(value)
    transfer.add(moved.buffer as ArrayBuffer)
    return moved
  }
  const moveAll = (bodies: Bodies['scripts']): Bodies['scripts'] =>
    bodies?.map((body) => ({ ...body, text: move(body.text) }))
  const { html, scripts, styles } = page
  return {
    page: { ...page, html: move(html), scripts: moveAll(scripts) ?? null, styles: moveAll(styles) ?? null },
    transfer: [...transfer],
  }
}
