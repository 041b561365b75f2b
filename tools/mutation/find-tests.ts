import { basename, dirname, join } from 'node:path'

const IMPORT = /(?:\bfrom |\bimport |\bimport\()'(\.[^']+)'/g

/** Distances over imports: test file → source file → number of imports between them. */
export type Distances = ReadonlyMap<string, ReadonlyMap<string, number>>

/**
 * Counts the imports between test files and the files that they load.
 * @param read returns the text of a file, and an empty text if there is none
 */
export function measureDistances(tests: Iterable<string>, read: (file: string) => string): Distances {
  const known = new Map<string, readonly string[]>()
  const listImports = (file: string): readonly string[] => {
    const found = known.get(file) ?? [...read(file).matchAll(IMPORT)].map(([, path]) => join(dirname(file), path))
    known.set(file, found)
    return found
  }
  return new Map(
    [...tests].map((test) => {
      const distances = new Map([[test, 0]])
      for (const [file, distance] of distances)
        for (const imported of listImports(file)) if (!distances.has(imported)) distances.set(imported, distance + 1)
      return [test, distances]
    }),
  )
}

/** Of a test file that does not import the source file: it reaches it through a path that is computed. */
const UNKNOWN_DISTANCE = 20
/** What a test file gains that has the name of the source file, and one in the folder that mirrors it. */
const SAME_NAME = 3
const SAME_FOLDER = 2

/** Sorts test files by how closely they belong to a source file: the closest are the most likely to notice its mutants. */
export function sortByCloseness(tests: Iterable<string>, source: string, distances: Distances): string[] {
  const [folder] = source.replace(/^src\//, '').split('/')
  const rate = (test: string): number =>
    (distances.get(test)?.get(source) ?? UNKNOWN_DISTANCE) -
    (basename(test).split('.')[0] === basename(source, '.ts') ? SAME_NAME : 0) -
    (test.startsWith(`test/${folder}/`) ? SAME_FOLDER : 0)
  const rated = [...tests].sort().map((test) => ({ test, rate: rate(test) }))
  return rated.sort((a, b) => a.rate - b.rate).map(({ test }) => test)
}
