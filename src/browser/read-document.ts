import type { CDPSession } from 'playwright-core'

/** The document of a page at one moment. */
export interface ReadDocument {
  readonly url: string
  readonly html: string
  /** Whether the document is longer than what was read. */
  readonly isCut: boolean
}

/**
 * Reads the document in a world of its own, where the functions of the page do not exist: what the page has replaced is not called.
 * Shadow roots are left out, because no rule reads them.
 * @param characters how much of the document is read
 */
export async function readDocument(cdp: CDPSession, characters: number): Promise<ReadDocument> {
  const { frameTree } = await cdp.send('Page.getFrameTree')
  const { executionContextId: contextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'siteprint',
  })
  const expression = `(() => {
    const html = (document.doctype ? '<!doctype html>' : '') + (document.documentElement?.outerHTML ?? '')
    return { url: document.URL.split('#', 1)[0], html: html.slice(0, ${characters}), isCut: html.length > ${characters} }
  })()`
  const { result } = await cdp.send('Runtime.evaluate', { expression, contextId, returnByValue: true, silent: true })
  return result.value as ReadDocument
}
