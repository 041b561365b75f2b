import type { Detector, Found, Wanted } from '../src/engine/page/detector.ts'

/** Maximum depth of the nodes that are read. Real data is shallow; hostile data may not be. */
const MAX_DEPTH = 32

export const jsonld: Detector = {
  key: 'jsonld',
  about: 'JSON-LD data: `Type` for each node of that type, `Type.field.field` for each value there',
  family: 'declared',
  word: 'path',
  *read({ jsonld }, wanted) {
    yield* findNodes(jsonld, wanted, 0)
  },
}

type Node = Readonly<Record<string, unknown>>

function* findNodes(data: unknown, wanted: Wanted, depth: number): Generator<Found> {
  if (depth > MAX_DEPTH || typeof data !== 'object' || data === null) return
  if (Array.isArray(data)) {
    for (const item of data) yield* findNodes(item, wanted, depth + 1)
    return
  }
  const node = data as Node
  const types = [node['@type']]
    .flat()
    .map((type) => (typeof type === 'string' ? type.trim().replace(/^.*[/:#]/s, '') : ''))
  for (const name of new Set(types)) if (name !== '' && wanted.has(name)) yield* findValues(node, name, wanted, depth)
  for (const value of Object.values(node)) yield* findNodes(value, wanted, depth + 1)
}

function* findValues(value: unknown, path: string, wanted: Wanted, depth: number): Generator<Found> {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) for (const item of value) yield* findValues(item, path, wanted, depth + 1)
  else if (typeof value === 'object' && value !== null) {
    yield { name: path, text: readNodeText(value as Node) }
    for (const [field, inner] of Object.entries(value)) {
      const below = `${path}.${field}`
      if (wanted.has(below)) yield* findValues(inner, below, wanted, depth + 1)
    }
  } else if (value !== null) yield { name: path, text: String(value) }
}

/** Reads the text of a node: its value, otherwise its name, URL or id. */
function readNodeText(node: Node): string {
  const text = node['@value'] ?? node.name ?? node.url ?? node['@id'] ?? ''
  return typeof text === 'object' ? '' : String(text)
}
