import type { Detector, Found, Wanted } from '../src/engine/page/detector.ts'

/** Maximum depth of the nodes that are read. Real data is shallow; hostile data may not be. */
const MAX_DEPTH = 32

export const jsonld: Detector = {
  key: 'jsonld',
  about: 'JSON-LD data: `Type` for each node of that type, `Type.field.field` for each value there',
  family: 'declared',
  word: 'path',
  read({ jsonld }, wanted) {
    const found: Found[] = []
    findNodes(jsonld, { wanted, found }, 0)
    return found
  },
}

type JsonLdNode = Readonly<Record<string, unknown>>

/** What is looked for, and what was found. */
interface Search {
  readonly wanted: Wanted
  readonly found: Found[]
}

function findNodes(data: unknown, search: Search, depth: number): void {
  if (depth > MAX_DEPTH || typeof data !== 'object' || data === null) return
  if (Array.isArray(data)) {
    for (const item of data) findNodes(item, search, depth + 1)
    return
  }
  const node = data as JsonLdNode
  for (const name of readTypes(node['@type']))
    if (name !== '' && search.wanted.has(name)) findValues(node, name, search, depth)
  for (const value of Object.values(node)) findNodes(value, search, depth + 1)
}

/** Reads the types of a node: the last part of each name, `Product` for `https://schema.org/Product`. */
function readTypes(type: unknown): Iterable<string> {
  const types = [type].flat().map((one) => (typeof one === 'string' ? one.trim().replace(/^.*[/:#]/s, '') : ''))
  return types.length > 1 ? new Set(types) : types
}

function findValues(value: unknown, path: string, search: Search, depth: number): void {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) for (const item of value) findValues(item, path, search, depth + 1)
  else if (typeof value === 'object' && value !== null) {
    search.found.push({ name: path, text: readNodeText(value as JsonLdNode) })
    for (const [field, inner] of Object.entries(value)) {
      const below = `${path}.${field}`
      if (search.wanted.has(below)) findValues(inner, below, search, depth + 1)
    }
  } else if (value !== null) search.found.push({ name: path, text: String(value) })
}

/** Reads the text of a node: its value, otherwise its name, URL or id. */
function readNodeText(node: JsonLdNode): string {
  const text = node['@value'] ?? node.name ?? node.url ?? node['@id'] ?? ''
  return typeof text === 'object' ? '' : String(text)
}
