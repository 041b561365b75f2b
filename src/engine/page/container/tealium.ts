import type { ContainerFormat, ContainerTag } from './container-types.ts'
import { MAX_TAGS } from './container-types.ts'
import { buildTag, findQuoted } from './plain-tags.ts'

/** `/utag/acme/main/prod/utag.js`; a site may serve the file from any folder. */
const FILE = /(?:\/utag\/([\w.-]{1,80}\/[\w.-]{1,80})\/[\w.-]{1,80})?\/utag\.js$/
const ADDRESS = /["'`]((?:https?:)?\\?\/\\?\/[\w.-]{1,253}[\w./\\-]{1,200}\/utag\.js)["'`?]/g
const HEAD = /tealium universal tag - utag\.loader|\butag_condload\b/
const LIST = /\bloader\.cfg\s*=\s*\{/g
/** A tag of the list: `"12":{load:utag.cond[5],send:1,v:202310251735,wait:1,tid:7117}`. */
const TAG = /\b(\d{1,5})["']?:\s?\{\s?["']?load["']?:/g
/** A tag of the list is shorter than this. */
const MAX_ENTRY_CHARACTERS = 600
const TEMPLATE = /["']?\btid["']?\s*:\s*["']?(\d{2,6})/
const SOURCE = /["']?\bsrc["']?\s*:\s*["']([^"']{4,500})["']/
/** The beginning of a tag that is bundled with the container. */
const BUNDLED = /\/\/tealium universal tag - utag\.(\d{1,5}) /g
/** The list is the last part of the loader, and shorter than this. */
const MAX_LIST_CHARACTERS = 400_000

/** Containers of Tealium iQ: `utag.js`. */
export const tealium: ContainerFormat = {
  findId: ({ pathname }) => {
    const found = FILE.exec(pathname)
    return found === null ? null : (found[1] ?? '')
  },
  findInSnippet: (script) => (script.includes('utag.js') ? findQuoted(script, ADDRESS) : []),
  isContainer: (head) => HEAD.test(head),
  read: ({ text, id }) => {
    const list = [...text.matchAll(LIST)].at(-1)
    if (list === undefined) return null
    const codes = readBundled(text)
    const tags: ContainerTag[] = []
    const listed = text.slice(list.index, list.index + MAX_LIST_CHARACTERS)
    for (const { 0: start, 1: number, index } of listed.matchAll(TAG)) {
      const from = index + start.length
      const [entry] = listed.slice(from, from + MAX_ENTRY_CHARACTERS).split('}', 1)
      const [load] = entry.split(',', 1)
      if (load.trim() === '0' || tags.length >= MAX_TAGS) continue
      const template = TEMPLATE.exec(entry)?.[1]
      const source = SOURCE.exec(entry)?.[1]
      tags.push(
        buildTag({
          kinds: template === undefined ? [] : [`utag:${template}`],
          code: codes.get(number) ?? '',
          urls: source === undefined ? [] : [{ kind: 'script', url: source }],
          isConditional: !/^\d+$/.test(load.trim()),
        }),
      )
    }
    return { name: `Tealium ${id}`.trim(), tags }
  },
}

/** Reads the code of the tags that the container bundles, by the number of the tag. */
function readBundled(text: string): ReadonlyMap<string, string> {
  const starts = [...text.matchAll(BUNDLED)]
  return new Map(starts.map(({ 1: number, index }, i) => [number, text.slice(index, starts[i + 1]?.index)]))
}
