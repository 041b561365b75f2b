import type { Renderer } from '../../browser/renderer.ts'
import type { SavedFile, SavedSite } from '../../browser/saved-network.ts'
import { readHeaders } from '../../engine/page/page-input.ts'
import { parseUrl } from '../../engine/text/parse-url.ts'
import type { PageInput } from '../../index.ts'
import { NOT_RENDERED, type RenderMode } from '../../scan/render-modes.ts'
import { addRendered } from '../../scan/scanned-page.ts'
import { type FindFile, UNKNOWN_PAGE } from '../formats/saved-files.ts'

/** How saved pages are rendered. */
export interface SavedRendering {
  readonly renderer: Pick<Renderer, 'renderSaved'>
  readonly mode: Exclude<RenderMode, 'never'>
}

/** A page as a browser shows it; `input` is null if it was not rendered. */
interface RenderedInput {
  readonly input: PageInput | null
  readonly warnings: readonly string[]
}

/**
 * Renders a saved page from its files. If that fails, a warning says why.
 * @param globals names of properties of `window` that rules ask for
 */
export async function renderSaved(
  input: PageInput,
  find: FindFile,
  { renderer, globals }: Pick<SavedRendering, 'renderer'> & { readonly globals: readonly string[] },
): Promise<RenderedInput> {
  const site = buildSite(input, find)
  if (site === null) return { input: null, warnings: [`${NOT_RENDERED}it has no HTML`] }
  try {
    const rendered = await renderer.renderSaved(site, globals)
    const { loaded: _, ...known } = addRendered(input, rendered)
    // The recorded requests are those of the real page; those of this one add to them.
    const loaded = [...(input.loaded ?? []), ...rendered.loaded.map((one) => ({ ...one, url: removeUnknown(one.url) }))]
    const isKnown = typeof input.url === 'string'
    return { input: { ...known, url: isKnown ? rendered.url : null, loaded }, warnings: rendered.warnings }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { input: null, warnings: [NOT_RENDERED + why] }
  }
}

function buildSite({ url, html, headers }: PageInput, find: FindFile): SavedSite | null {
  const address = url == null ? null : parseUrl(url)
  if (html == null || (url != null && !/^https?:$/.test(address?.protocol ?? ''))) return null
  if (address !== null) address.hash = ''
  const page = address?.href ?? UNKNOWN_PAGE
  const pairs = readHeaders(headers, []) ?? []
  const list = (wanted: string): string[] => pairs.flatMap(([name, value]) => (name === wanted ? [value] : []))
  const type = typeof html === 'string' ? 'text/html; charset=utf-8' : (list('content-type').at(0) ?? 'text/html')
  const policies = list('content-security-policy')
  // Browsers enforce all policies of a page; a comma separates them.
  const contentPolicy = policies.length === 0 ? undefined : policies.join(', ')
  const document: SavedFile = { body: html, type, contentPolicy }
  return { url: page, find: async (wanted) => (wanted === page ? document : await find(wanted)) }
}

/** A page whose address is not known refers to its files by their paths. */
function removeUnknown(url: string): string {
  return url.startsWith(UNKNOWN_PAGE) ? url.slice(UNKNOWN_PAGE.length - 1) : url
}
