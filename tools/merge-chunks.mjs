// A module that several entries share is in the chunk of exactly those entries that use it, so there are many chunks, and most are small.
// A package should have few files. Chunks are merged where that makes entries read the fewest bytes that they do not need.

import { isBuiltin } from 'node:module'

/** Chunks that are larger stay as they are: the merge of small ones saves as many files. With 60 kB, entries would have to load packages. */
const MAX_MERGED_BYTES = 500_000

/** An entry is what a process or a thread begins with; a dynamic import is needed once, and often not at all. */
const ENTRY_WEIGHT = 10

/** Modules that are imported on demand, in the command that is run most. */
const FREQUENT = /[\\/]src[\\/]cli[\\/]scan\.js$/

/** The entry of the threads that match pages: one for each processor, and a new one for each that was killed. */
const MATCHING = /[\\/]match-worker\.js$/

/** With the weight of the other entries, each thread reads 90 kB and keeps 1.3 MB more. */
const MATCHING_WEIGHT = 150

/**
 * What it costs to load a package that is not bundled, in bytes of our own code: more than all of it, so that no entry loads a package for a
 * module that it shares a chunk with. Loading a package takes up to a third of `scan --html`, and it stays in the memory of each thread.
 */
const PACKAGE_BYTES = 10_000_000
/** The same for a module of Node. */
const BUILTIN_BYTES = 5_000

/**
 * @typedef {object} Chunk
 * @property {string} fileName
 * @property {string} code
 * @property {boolean} isEntry
 * @property {boolean} isDynamicEntry
 * @property {string | null} [facadeModuleId] the module of an entry
 * @property {string[]} imports file names of the chunks that it imports statically
 * @property {string[]} moduleIds
 */

/**
 * Chooses chunks to merge. An entry keeps its own chunk, and a merge never makes two chunks import each other.
 * @param {readonly Chunk[]} chunks what the bundler makes by itself
 * @param {number} wanted number of chunks, other than entries, that should be left
 * @returns {Map<string, string>} the group of each module whose chunk is merged with another one
 */
export function mergeChunks(chunks, wanted) {
  const nodes = new Map(
    chunks.map(({ fileName, code, isEntry, isDynamicEntry, facadeModuleId, imports, moduleIds }) => {
      const isFixed = isEntry || isDynamicEntry || moduleIds.some((id) => id.startsWith('\0'))
      const weight = findWeight({ isEntry, isDynamicEntry, facadeModuleId })
      return [fileName, { bytes: code.length, isFixed, weight, moduleIds, count: 1, imports: new Set(imports) }]
    }),
  )
  for (const name of new Set(chunks.flatMap(({ imports }) => imports)))
    if (!nodes.has(name)) nodes.set(name, createExternal(name))
  let left = [...nodes.values()].filter(({ isFixed }) => !isFixed).length
  for (; left > wanted; left--) {
    const pair = findBestPair(nodes)
    if (pair === null) break
    mergePair(nodes, pair)
  }
  const merged = [...nodes.values()].filter(({ count }) => count > 1)
  return new Map(merged.flatMap(({ moduleIds }, i) => moduleIds.map((id) => [id, `shared-${i}`])))
}

/** How much the bytes count that a chunk loads. @param {Pick<Chunk, 'isEntry' | 'isDynamicEntry' | 'facadeModuleId'>} chunk */
function findWeight({ isEntry, isDynamicEntry, facadeModuleId }) {
  const file = facadeModuleId ?? ''
  if (isEntry && MATCHING.test(file)) return MATCHING_WEIGHT
  if (isEntry || (isDynamicEntry && FREQUENT.test(file))) return ENTRY_WEIGHT
  return isDynamicEntry ? 1 : 0
}

/** A module outside of the bundle, which is never merged, and costs each entry that reaches it. */
function createExternal(name) {
  const bytes = isBuiltin(name) ? BUILTIN_BYTES : PACKAGE_BYTES
  return { bytes, isFixed: true, weight: 0, moduleIds: [], count: 1, imports: new Set() }
}

/** Finds the two chunks whose merge costs least: the bytes that each entry reads in addition. */
function findBestPair(nodes) {
  const reached = new Map([...nodes.keys()].map((name) => [name, reach(nodes, name)]))
  const roots = [...nodes]
    .filter(([, { weight }]) => weight > 0)
    .map(([name, { weight }]) => ({ weight, names: reached.get(name) }))
  const free = [...nodes]
    .filter(([, { isFixed, bytes }]) => !isFixed && bytes <= MAX_MERGED_BYTES)
    .map(([name]) => name)
  const readBytes = (names) => names.reduce((sum, name) => sum + nodes.get(name).bytes, 0)
  // A merge that makes an entry load a package is worse than one file more.
  const best = { cost: PACKAGE_BYTES, pair: null }
  for (const [i, one] of free.entries())
    for (const other of free.slice(i + 1)) {
      if (isBetween(nodes, reached, one, other)) continue
      const both = [...new Set([...reached.get(one), ...reached.get(other)])]
      const cost = roots
        .filter(({ names }) => names.has(one) !== names.has(other))
        .reduce((sum, { weight, names }) => sum + weight * readBytes(both.filter((name) => !names.has(name))), 0)
      if (cost < best.cost) Object.assign(best, { cost, pair: [one, other] })
    }
  return best.pair
}

/** Whether a third chunk lies on a way from one of two chunks to the other, so that their merge would be a circle. */
function isBetween(nodes, reached, one, other) {
  return [
    [one, other],
    [other, one],
  ].some(([from, to]) => [...nodes.get(from).imports].some((name) => name !== to && reached.get(name).has(to)))
}

/** Lists a chunk and all chunks that it imports, directly or not. */
function reach(nodes, name, found = new Set()) {
  if (found.has(name)) return found
  found.add(name)
  for (const next of nodes.get(name).imports) reach(nodes, next, found)
  return found
}

function mergePair(nodes, [one, other]) {
  const [target, source] = [nodes.get(one), nodes.get(other)]
  target.bytes += source.bytes
  target.count += source.count
  target.moduleIds = [...target.moduleIds, ...source.moduleIds]
  for (const name of source.imports) target.imports.add(name)
  target.imports.delete(one)
  target.imports.delete(other)
  nodes.delete(other)
  for (const { imports } of nodes.values()) if (imports.delete(other)) imports.add(one)
  target.imports.delete(one)
}
