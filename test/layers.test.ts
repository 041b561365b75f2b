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
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs)$/.test(entry.name))
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

/** Our own files that a file imports or exports from, including dynamic imports and types. */
function importsOf(file: string): string[] {
  const found = textOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)
  return [...found].map(([, path]) => posix.join(dirname(file), path))
}

/** Layer → layers it may import from, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  async: [],
  charts: [],
  errors: [],
  yaml: [],
  'engine/text': [],
  'engine/rule': ['engine/text'],
  'engine/page': ['engine/rule', 'engine/text'],
  'engine/lookup': ['engine/page', 'engine/rule', 'engine/text'],
  'engine/verdict': ['engine/lookup', 'engine/page', 'engine/rule', 'engine/text'],
  plugins: ['engine/page', 'engine/rule', 'engine/text', 'errors'],
  rules: [
    'engine/lookup',
    'engine/page',
    'engine/rule',
    'engine/text',
    'engine/verdict',
    'errors',
    'rules/checks',
    'rules/common-words',
    'rules/patterns',
    'yaml',
  ],
  'rules/checks': ['engine/rule', 'rules', 'rules/common-words', 'rules/patterns', 'yaml'],
  'rules/common-words': ['engine/rule', 'yaml'],
  'rules/fit': ['engine/lookup', 'engine/page', 'engine/rule', 'engine/text', 'engine/verdict'],
  'rules/gaps': [
    'engine/lookup',
    'engine/page',
    'engine/text',
    'engine/verdict',
    'rules/common-words',
    'rules/propose',
  ],
  'rules/patterns': ['engine/rule', 'rules'],
  'rules/propose': ['engine/lookup', 'engine/page', 'engine/rule', 'engine/verdict', 'rules', 'rules/common-words'],
  fetch: ['async', 'engine/page', 'errors'],
  scan: ['async', 'coordination', 'engine/page', 'engine/text', 'engine/verdict', 'errors', 'fetch', 'index'],
  keys: ['errors', 'yaml'],
  config: ['accounts', 'errors', 'fetch', 'keys', 'rules'],
  updates: ['engine/verdict', 'errors', 'fetch', 'index', 'rules', 'scan', 'store'],
  accounts: ['async', 'coordination', 'keys', 'store', 'store/mongo', 'store/sqlite'],
  store: ['accounts', 'async', 'errors', 'keys', 'store/mongo', 'store/sqlite'],
  'store/mongo': ['accounts', 'async', 'coordination', 'errors', 'keys', 'store'],
  'store/sqlite': ['accounts', 'errors', 'keys', 'store'],
  coordination: ['async'],
  'coordination/redis': ['coordination'],
  http: ['accounts', 'coordination', 'errors', 'fetch', 'http/server', 'http/v1', 'keys', 'portal', 'scan', 'store'],
  'http/server': ['errors', 'http'],
  'http/v1': ['coordination', 'errors', 'http', 'keys', 'scan', 'yaml'],
  portal: [
    'accounts',
    'charts',
    'coordination',
    'errors',
    'http',
    'http/v1',
    'keys',
    'portal/components',
    'portal/pages',
    'scan',
    'store',
  ],
  'portal/components': ['accounts', 'keys', 'portal'],
  'portal/scan': [
    'accounts',
    'coordination',
    'engine/text',
    'errors',
    'http',
    'http/v1',
    'keys',
    'portal',
    'portal/components',
    'scan',
    'store',
  ],
  'portal/pages': ['accounts', 'http', 'keys', 'portal', 'portal/components', 'portal/scan', 'store'],
  report: ['charts', 'engine/text', 'portal', 'portal/components'],
  index: ['engine/lookup', 'engine/page', 'engine/rule', 'engine/verdict', 'errors', 'plugins', 'rules', 'scan'],
  cli: [
    'accounts',
    'cli/formats',
    'cli/keys',
    'cli/report',
    'cli/rules',
    'cli/scan',
    'cli/service',
    'config',
    'coordination/redis',
    'engine/rule',
    'engine/verdict',
    'errors',
    'fetch',
    'index',
    'keys',
    'plugins',
    'report',
    'rules',
    'scan',
    'store',
    'store/sqlite',
    'yaml',
  ],
  'cli/formats': ['cli', 'engine/page', 'engine/text', 'errors', 'fetch', 'index', 'scan'],
  'cli/keys': ['accounts', 'cli', 'errors', 'keys', 'store'],
  'cli/report': ['cli', 'cli/formats', 'cli/scan', 'errors', 'report'],
  'cli/rules': [
    'cli',
    'cli/formats',
    'cli/scan',
    'config',
    'engine/lookup',
    'engine/page',
    'engine/rule',
    'engine/text',
    'engine/verdict',
    'errors',
    'fetch',
    'index',
    'rules',
    'rules/checks',
    'rules/fit',
    'rules/gaps',
    'rules/propose',
    'yaml',
  ],
  'cli/scan': ['cli', 'cli/formats', 'config', 'errors', 'fetch', 'index', 'scan', 'yaml'],
  'cli/service': [
    'accounts',
    'cli',
    'cli/keys',
    'config',
    'errors',
    'fetch',
    'index',
    'keys',
    'rules',
    'scan',
    'store',
    'store/sqlite',
    'updates',
    'yaml',
  ],
  compose: [
    'accounts',
    'config',
    'coordination',
    'coordination/redis',
    'errors',
    'fetch',
    'http',
    'http/server',
    'keys',
    'scan',
    'store',
    'updates',
  ],
  main: ['cli', 'compose', 'config'],
  tools: [
    'cli',
    'cli/scan',
    'config',
    'engine/lookup',
    'engine/page',
    'engine/rule',
    'engine/verdict',
    'errors',
    'fetch',
    'http',
    'index',
    'keys',
    'plugins',
    'portal',
    'rules',
    'rules/common-words',
    'scan',
    'store',
    'yaml',
  ],
}

describe('who may import whom', () => {
  test.each(own)('%s', (file) => {
    const allowed = MAY_IMPORT[layerOf(file)]
    expect(allowed, `${file} belongs to no layer`).toBeDefined()
    const layers = new Set(importsOf(file).map(layerOf))
    expect([...layers].filter((layer) => layer !== layerOf(file) && !allowed.includes(layer))).toEqual([])
  })

  test('every permission is used', () => {
    const used = new Set(own.flatMap((file) => importsOf(file).map((path) => `${layerOf(file)} → ${layerOf(path)}`)))
    const permitted = Object.entries(MAY_IMPORT).flatMap(([layer, others]) => others.map((to) => `${layer} → ${to}`))
    expect(permitted.filter((permission) => !used.has(permission))).toEqual([])
    expect(Object.keys(MAY_IMPORT).filter((layer) => !own.some((file) => layerOf(file) === layer))).toEqual([])
  })

  test('the test sees imports', () => {
    const all = own.flatMap(importsOf)
    expect(all.length).toBeGreaterThan(100)
    expect(all.filter((path) => !own.includes(path))).toEqual([])
  })

  test('nothing imports main', () => {
    expect(own.filter((file) => importsOf(file).includes('src/main.ts'))).toEqual([])
  })
})

/** Quoted words in the code of a layer, comments excluded, as `file: word`. */
function quotedWords(layers: RegExp): string[] {
  return own
    .filter((file) => layers.test(layerOf(file)))
    .flatMap((file) => {
      const code = textOf(file).replace(/\/\*.*?\*\/|\/\/.*$/gms, '')
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
  // Also the name of a level, of an HTML element, of a role of hosting, or a value of `from`.
  for (const word of ['medium', 'form', 'cdn', 'other']) names.delete(word)
  const quoted = quotedWords(/^engine\//)
  expect(quoted.length).toBeGreaterThan(50)
  expect(quoted.filter((one) => names.has(one.split(': ')[1]))).toEqual([])
})

// A place that needs special treatment says so in its detector. The layer `page` is excluded: its words are HTML tags.
test('no place is named in the engine, except its own', () => {
  const places = new Set(detectors.map(({ key }) => key))
  const named = quotedWords(/^engine\/(?!page)/).filter((one) => places.has(one.split(': ')[1]))
  // css-what calls the operator `~=` "element".
  const cssWhat = ['src/engine/lookup/selector-index.ts: element', 'src/engine/lookup/selector-matcher.ts: element']
  expect([...new Set(named)].sort()).toEqual(cssWhat)
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
  ['src/http/v1/schemas.ts', /^(?:piscina|undici|redis|mongodb|libsql|htmlparser2)/],
  ['src/engine/verdict/result.ts', /./],
  // For a start without Redis, MongoDB and portal. Loading any of these takes at least a tenth of the start time.
  ['src/main.ts', /^(?:redis|mongodb|undici|better-auth|kysely|vega|nodemailer)/],
])('%s loads no heavy package', (file, heavy) => {
  expect([...packagesLoadedBy(file)].filter((name) => heavy.test(name))).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = own.filter((file) => /\bprocess\s*\.\s*env\b|\benv\b[^\n]*\bfrom 'node:process'/.test(textOf(file)))
  // The build script passes PATH on to the programs it starts, `npm run fuzz` its whole environment.
  expect(readers).toEqual(['src/config/config.ts', 'tools/build.mjs', 'tools/fuzz.mjs'])
})

test('the engine does no I/O and reads no clock', () => {
  const touching = own
    .filter((file) => layerOf(file).startsWith('engine/'))
    .filter((file) => /from 'node:|\bDate\b|\bperformance\b|\bfetch\(|\bMath\.random\b|\bconsole\./.test(textOf(file)))
  expect(touching).toEqual([])
})
