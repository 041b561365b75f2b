import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detectors } from '../plugins/index.ts'
import { projectFolder } from '../src/rules/built.ts'
import { openOwnRuleset } from './support/own-ruleset.ts'

const root = projectFolder()

/** Code files below a folder, as paths from the project root with slashes. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.(tsx?|mjs)$/.test(entry.name))
    .filter(({ parentPath }) => !parentPath.includes('node_modules'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

const own = ['src', 'plugins', 'tools'].flatMap(filesBelow)
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** The layer a file belongs to: its folder below `src`, its own name for a file in `src` itself, else its top folder. */
function layerOf(file: string): string {
  const folders = dirname(file).split('/')
  if (folders[0] !== 'src') return folders[0]
  return folders.length === 1 ? posix.basename(file, '.ts') : folders.slice(1).join('/')
}

/** The ruleset as a module, which the build of `siteprint-engine` writes. */
const BUILT_MODULE = 'src/compiled-ruleset.js'

/** Our own files that a file imports or exports from, including dynamic imports and types. */
function importsOf(file: string): string[] {
  const found = textOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)
  return [...found].map(([, path]) => posix.join(dirname(file), path)).filter((path) => path !== BUILT_MODULE)
}

/**
 * The floors of the house, from low to high. A folder imports only from floors below its own, types included; folders side by side
 * on one floor do not import each other. An arrow orders the folders of one floor: each may import those to its left.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['async', 'charts', 'errors', 'views', 'yaml'],
  ['engine/text → engine/rule → engine/page/container → engine/page → engine/lookup → engine/verdict'],
  ['coordination → coordination/redis', 'keys', 'lifecycles', 'networks', 'plugins'],
  ['fetch', 'rules → rules/patterns → rules/checks → rules/load', 'store → store/mongo → store/sqlite → store/open'],
  [
    'accounts',
    'browser',
    'authoring/common-words → authoring/fit → authoring → authoring/propose → authoring/gaps → authoring/import',
    'detector',
  ],
  ['config', 'index', 'scan', 'siteprint-engine'],
  ['mcp', 'service', 'updates'],
  ['batches → batches/queue', 'report', 'web'],
  [
    'http → http/v1 → http/openapi → http/server',
    'portal → portal/components → portal/catalogue → portal/scan → portal/batches → portal/pages → portal/routes',
  ],
  ['app'],
  [
    'cli/command → cli/formats → cli/batches → cli/scan → cli/report → cli/keys → cli/mcp → cli/rules → cli/service → cli',
  ],
  ['compose-renderer → compose → compose-worker'],
  ['process'],
  ['main', 'tools', 'worker'],
  ['siteprint'],
]

/** A place in the house: the floor, the room on this floor, and the position within the room. */
type Place = readonly [floor: number, room: number, position: number]

const places: ReadonlyMap<string, Place> = new Map(
  FLOORS.flatMap((rooms, floor) =>
    rooms.flatMap((room, i) => room.split(' → ').map((layer, position) => [layer, [floor, i, position]] as const)),
  ),
)

/** Whether a layer stands on another one. */
function isAbove([floor, room, position]: Place, [otherFloor, otherRoom, otherPosition]: Place): boolean {
  return floor === otherFloor ? room === otherRoom && position > otherPosition : floor > otherFloor
}

/** Finds a circle in a graph: its nodes in order, the first one again at the end; null if there is none. */
function findCircle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return null
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle !== null) return circle
    }
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle !== null) return circle
  }
  return null
}

/** Builds the graph of all imports between files, or between the parts that `name` assigns them to. */
function buildGraph(name: (file: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const file of own) {
    const from = name(file)
    const targets = graph.get(from) ?? new Set()
    graph.set(from, targets)
    for (const target of importsOf(file).map(name)) if (target !== from || name(file) === file) targets.add(target)
  }
  return graph
}

describe('who may import whom', () => {
  test.each(own)('%s', (file) => {
    const place = places.get(layerOf(file))
    if (place === undefined) throw new Error(`${file} is on no floor`)
    const others = new Set(importsOf(file).map(layerOf))
    others.delete(layerOf(file))
    expect([...others].filter((layer) => !isAbove(place, places.get(layer) ?? place))).toEqual([])
  })

  test('every layer of the list exists, once', () => {
    const listed = FLOORS.flat().flatMap((room) => room.split(' → '))
    expect(listed.filter((layer) => !own.some((file) => layerOf(file) === layer))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
  })

  test('docs/architecture.md tells the floor of each folder', () => {
    const rows = textOf('docs/architecture.md').matchAll(/^\| (`(?:src|plugins|tools)\/[^|]*) \|.*\| (\d+) \|$/gm)
    const told = [...rows].flatMap(([, names, floor]) =>
      [...names.matchAll(/`(?:src\/)?([^`]+?)(?:\/|\.ts)`/g)].map(([, name]) => [name, Number(floor)] as const),
    )
    const floors = [...places].filter(([name]) => !name.includes('/') && !name.startsWith('compose-'))
    const all = [...floors.map(([name, [floor]]) => [name, floor + 1] as const), ['engine', 2] as const]
    expect(new Map(told.toSorted())).toEqual(new Map(all.toSorted()))
  })

  test.each([
    ['files', (file: string): string => file],
    ['folders', (file: string): string => (dirname(file) === 'src' ? file : dirname(file))],
  ])('no circle of %s', (_, name) => {
    expect(findCircle(buildGraph(name))).toBeNull()
  })

  test('a circle is found', () => {
    const graph = new Map([
      ['a', new Set(['b'])],
      ['b', new Set(['c', 'd'])],
      ['c', new Set<string>()],
      ['d', new Set(['c', 'b'])],
    ])
    expect(findCircle(graph)).toEqual(['b', 'd', 'b'])
    graph.get('d')?.delete('b')
    expect(findCircle(graph)).toBeNull()
  })

  test('the test sees imports', () => {
    const all = own.flatMap(importsOf)
    expect(all.length).toBeGreaterThan(100)
    expect(all.filter((path) => !own.includes(path))).toEqual([])
  })

  test("only the commands and the developers' tools stand on the library's entry", () => {
    const users = own.filter((file) => importsOf(file).includes('src/index.ts')).map((file) => layerOf(file))
    expect(users.filter((layer) => !/^(?:cli(?:\/.*)?|tools)$/.test(layer))).toEqual([])
  })

  test.each(['src/main.ts', 'src/worker.ts'])('only the command siteprint imports %s', (entry) => {
    expect(own.filter((file) => importsOf(file).includes(entry))).toEqual(['src/siteprint.ts'])
  })
})

/** The names of the types that a file declares, exported or not, except inside of functions. */
function typesOf(file: string): string[] {
  const declared = textOf(file).matchAll(
    /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
  )
  return [...declared].map(([, name]) => name)
}

test('each name of a type means one thing in all files', () => {
  const files = new Map<string, string[]>()
  for (const file of own) for (const name of typesOf(file)) files.set(name, [...(files.get(name) ?? []), file])
  expect(files.size).toBeGreaterThan(500)
  // Export a type that means the same from one file, and import it. Rename a type that means something else.
  expect([...files].filter(([, declaring]) => declaring.length > 1)).toEqual([])
})

/** Quoted words in the code of a layer, comments excluded, as `file: word`. */
function quotedWords(layers: RegExp): string[] {
  return own
    .filter((file) => layers.test(layerOf(file)))
    .flatMap((file) => {
      const code = textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      return [...code.matchAll(/(['"`])([\w-]+)\1/g)].map(([, , word]) => `${file}: ${word}`)
    })
}

test('no slug and no category is named in the engine', () => {
  const { rules, categories } = openOwnRuleset()
  const names = new Set([
    ...rules.map(({ slug }) => slug),
    ...Object.keys(categories.builders),
    ...Object.keys(categories.technologies),
  ])
  // Also the name of a level, of an HTML element, of a role of hosting, a value of `from`, or what came back instead of a site.
  for (const word of ['medium', 'form', 'cdn', 'other', 'parked']) names.delete(word)
  const quoted = quotedWords(/^engine\//)
  expect(quoted.length).toBeGreaterThan(50)
  expect(quoted.filter((one) => names.has(one.split(': ')[1]))).toEqual([])
})

// A place that needs special treatment says so in its detector. The layer `page` is excluded: its words are HTML tags.
test('no place is named in the engine, except its own', () => {
  const places = new Set(detectors.map(({ key }) => key))
  const named = quotedWords(/^engine\/(?!page)/).filter((one) => places.has(one.split(': ')[1]))
  // css-what calls the operator `~=` "element", and the name of an element "tag".
  const cssWhat = ['lookup/selector-index.ts: element', 'lookup/selector-matcher.ts: element']
  const tags = ['lookup/selector-index.ts: tag', 'lookup/selector-matcher.ts: tag', 'rule/selector.ts: tag']
  // A family of places has the name of one of them.
  const all = [...cssWhat, ...tags, 'rule/place.ts: network'].map((one) => `src/engine/${one}`)
  expect([...new Set(named)].sort()).toEqual(all.sort())
})

/** Packages that a file loads, directly or through our own files; imports of types load nothing. */
function packagesLoadedBy(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>()
  if (seen.has(file)) return packages
  seen.add(file)
  const statements = textOf(file).matchAll(
    /^(?:import|export)(?! type\b)[^'"]*? from ['"]([^'"]+)['"]|^import ['"]([^'"]+)['"]/gm,
  )
  for (const [, from, bare] of statements) {
    const path = from ?? bare
    if (!path.startsWith('.')) packages.add(path)
    else for (const one of packagesLoadedBy(posix.join(dirname(file), path), seen)) packages.add(one)
  }
  return packages
}

test.each([
  ['src/index.ts', /^(?:piscina|undici|fastify|redis|mongodb|libsql|pino)/],
  ['src/service/response-schemas.ts', /^(?:piscina|undici|redis|mongodb|libsql|htmlparser2)/],
  ['src/engine/verdict/result.ts', /./],
  // For a start without Redis, MongoDB and portal. Loading any of these takes at least a tenth of the start time.
  ['src/main.ts', /^(?:redis|mongodb|undici|better-auth|kysely|vega|nodemailer)/],
])('%s loads no heavy package', (file, heavy) => {
  expect([...packagesLoadedBy(file)].filter((name) => heavy.test(name))).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = own.filter((file) => /\bprocess\s*\.\s*env\b|\benv\b[^\n]*\bfrom 'node:process'/.test(textOf(file)))
  // The others pass it on to the programs and the Vitest that they start; the build only PATH.
  expect(readers).toEqual([
    'src/config/config.ts',
    'tools/bench/batches/service.ts',
    'tools/bench/start.ts',
    'tools/build.mjs',
    'tools/fuzz.mjs',
    'tools/mutation/open-vitest.ts',
  ])
})

test('the engine does no I/O and reads no clock', () => {
  const touching = own
    .filter((file) => layerOf(file).startsWith('engine/'))
    .filter((file) => /from 'node:|\bDate\b|\bperformance\b|\bfetch\(|\bMath\.random\b|\bconsole\./.test(textOf(file)))
  expect(touching).toEqual([])
})
