import type { Detector, Found, Wanted } from '../src/engine/page/detector.ts'

/** Nodes deeper than this are not looked at: real data is shallow, hostile data is not. */
const MAX_DEPTH = 32

export const jsonld: Detector = {
  key: 'jsonld',
  about: 'JSON-LD data: `Type` for each node of that type, `Type.field.field` for each value there',
  family: 'declared',
  word: 'path',
  *read({ jsonld }, wanted) {
    yield* nodes(jsonld, wanted, 0)
  },
}

type Node = Readonly<Record<string, unknown>>

function* nodes(data: unknown, wanted: Wanted, depth: number): Generator<Found> {
  if (depth > MAX_DEPTH || typeof data !== 'object' || data === null) return
  if (Array.isArray(data)) {
    for (const item of data) yield* nodes(item, wanted, depth + 1)
    return
  }
  const node = data as Node
  const types = [node['@type']]
    .flat()
    .map((type) => (typeof type === 'string' ? type.trim().replace(/^.*[/:#]/s, '') : ''))
  for (const name of new Set(types)) if (name !== '' && wanted.has(name)) yield* values(node, name, wanted, depth)
  for (const value of Object.values(node)) yield* nodes(value, wanted, depth + 1)
}

function* values(value: unknown, path: string, wanted: Wanted, depth: number): Generator<Found> {
  if (depth > MAX_DEPTH) return
  if (Array.isArray(value)) for (const item of value) yield* values(item, path, wanted, depth + 1)
  else if (typeof value === 'object' && value !== null) {
    yield { name: path, text: readNodeText(value as Node) }
    for (const [field, inner] of Object.entries(value)) {
      const below = `${path}.${field}`
      if (wanted.has(below)) yield* values(inner, below, wanted, depth + 1)
    }
  } else if (value !== null) yield { name: path, text: String(value) }
}

/** The text of a node is what it is called. */
function readNodeText(node: Node): string {
  const text = node['@value'] ?? node.name ?? node.url ?? node['@id'] ?? ''
  return typeof text === 'object' ? '' : String(text)
}
