import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BodyLink, ContainerLink } from '../../engine/page/body-links.ts'
import type { PageBodyInput, PageInput } from '../../engine/page/page-input.ts'
import { MAX_BODY_BYTES, selectBodies, selectBodiesOfResponse } from '../../engine/page/select-bodies.ts'

/** Finds the body that an archive recorded for a URL without fragment; null if it has none. */
export type FindBody = (url: string) => Promise<string | Uint8Array | null>

/** Adds to a recorded page the scripts, tag containers and style sheets that `selectBodies` selects, from the other records of its archive. */
export async function addRecordedBodies(page: PageInput, find: FindBody): Promise<PageInput> {
  const { html = '', url = null } = page
  const headers = (page.headers ?? []) as readonly (readonly [string, string])[]
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
  const { selected } =
    html instanceof Uint8Array ? selectBodiesOfResponse(html, type, url) : selectBodies(html ?? '', url)
  const readAll = async (links: readonly BodyLink[]): Promise<PageBodyInput[]> => {
    const bodies: PageBodyInput[] = []
    for (const link of links) {
      const text = await find(link.url.href)
      if (text !== null) bodies.push({ url: link.url.href, text })
    }
    return bodies
  }
  const [scripts, styles] = [await readAll(selected.script), await readAll(selected.style)]
  const loaded = selected.container.filter((link) => link.loaded !== link.url.href)
  const containers = [...(await readAll(selected.container)), ...(await readAll(loaded.map(toLoaded)))]
  return { ...page, scripts: [...scripts, ...containers], styles }
}

/** The file that the page loads, in which some managers list the tags too. */
function toLoaded(link: ContainerLink): BodyLink {
  return { ...link, url: { ...link.url, href: link.loaded } }
}

/** Content types of scripts and style sheets (RFC 9239, RFC 2318). */
export const BODY_TYPE = /^\s*(?:text|application)\/(?:x-)?(?:javascript|ecmascript|css)\b/i

/** Maximum number of scripts and style sheets that are indexed, about 40 MB of memory. */
const MAX_INDEXED_BODIES = 200_000

/**
 * The scripts and style sheets of an archive, in a temporary file, because a page can be recorded long before or after the
 * files that it loads. Each is cut to what a scan reads.
 */
export class BodyStore {
  readonly #index = new Map<string, { readonly at: number; readonly bytes: number }>()
  #file: Promise<FileHandle> | undefined
  #end = 0

  /** Stores the first body of a URL. */
  async add(url: string, body: Uint8Array): Promise<void> {
    if (this.#index.has(url) || this.#index.size >= MAX_INDEXED_BODIES) return
    // One byte more than a scan reads, so that a longer body is recognized as cut.
    const part = body.subarray(0, MAX_BODY_BYTES + 1)
    const at = this.#end
    this.#index.set(url, { at, bytes: part.length })
    this.#end += part.length
    this.#file ??= openUnnamed()
    await (await this.#file).write(part, 0, part.length, at)
  }

  readonly find: FindBody = async (url) => {
    const entry = this.#index.get(url)
    if (entry === undefined || this.#file === undefined) return null
    const bytes = Buffer.allocUnsafeSlow(entry.bytes)
    await (await this.#file).read(bytes, 0, entry.bytes, entry.at)
    return bytes
  }

  async close(): Promise<void> {
    await (await this.#file)?.close()
  }
}

/** Opens a temporary file without a name, which the system removes when it is closed, even after a crash. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `siteprint-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path, { force: true }).catch(() => {})
  return file
}
