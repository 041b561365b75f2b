import type { CDPSession } from 'playwright-core'
import { lower } from '../engine/text/text.ts'
import type { FoundGlobal } from './render-types.ts'

/** A value of the page, as the inspector describes it (`Runtime.RemoteObject`). */
interface RemoteObject {
  readonly type: string
  readonly subtype?: string
  /** Only of objects and functions. */
  readonly objectId?: string
  readonly value?: unknown
  /** A number that JSON does not have. */
  readonly unserializableValue?: string
}

/** A name that rules ask for, and the names below it. */
interface WantedName {
  isWanted: boolean
  readonly below: Map<string, WantedName>
}

/** Objects whose properties are listed, so that a page cannot make reading expensive. */
const MAX_OBJECTS = 400
const MAX_TEXT_CHARACTERS = 1000
const GROUP = 'globals'

/**
 * Reads the properties of `window` that rules ask for. The inspector of V8 lists the own properties of an object: no code of the page
 * runs, neither a getter nor a trap of a proxy nor a function that the page has replaced. Elements with an id, which `window` also
 * shows by name, are no own properties.
 * @param wanted names from `window`, such as `Shopify.theme`; compared without case
 */
export async function readGlobals(cdp: CDPSession, wanted: readonly string[]): Promise<FoundGlobal[]> {
  if (wanted.length === 0) return []
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'this', objectGroup: GROUP, silent: true })
  const reader = new GlobalReader(cdp)
  await reader.read(result, buildTree(wanted), '')
  await cdp.send('Runtime.releaseObjectGroup', { objectGroup: GROUP })
  return reader.found
}

function buildTree(wanted: readonly string[]): WantedName {
  const root: WantedName = { isWanted: false, below: new Map() }
  for (const path of wanted) {
    let node = root
    for (const name of lower(path).split('.')) {
      const next = node.below.get(name) ?? { isWanted: false, below: new Map() }
      node.below.set(name, next)
      node = next
    }
    node.isWanted = true
  }
  return root
}

class GlobalReader {
  readonly found: FoundGlobal[] = []
  readonly #cdp: CDPSession
  #objects = 0

  constructor(cdp: CDPSession) {
    this.#cdp = cdp
  }

  async read({ objectId, subtype }: RemoteObject, { below }: WantedName, prefix: string): Promise<void> {
    if (objectId === undefined || subtype === 'proxy' || this.#objects >= MAX_OBJECTS) return
    this.#objects++
    const { result } = await this.#cdp.send('Runtime.getProperties', { objectId, ownProperties: true })
    for (const { name, value, symbol, get } of result) {
      const node = symbol === undefined ? below.get(lower(name)) : undefined
      if (node === undefined) continue
      const path = prefix + name
      if (node.isWanted && (get?.type === 'function' || isPresent(value)))
        this.found.push({ name: path, text: formatValue(value) })
      if (node.below.size > 0 && value !== undefined) await this.read(value, node, `${path}.`)
    }
  }
}

/** A property that is undefined or null says nothing: pages declare names before they use them. */
function isPresent(value: RemoteObject | undefined): boolean {
  return value !== undefined && value.type !== 'undefined' && value.subtype !== 'null'
}

function formatValue(value: RemoteObject | undefined): string {
  if (value === undefined || !['string', 'number', 'boolean'].includes(value.type)) return ''
  return String(value.value ?? value.unserializableValue).slice(0, MAX_TEXT_CHARACTERS)
}
