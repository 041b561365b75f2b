import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../src/rules/built.ts'
import { readOwnRules } from './support/real-cases.ts'

const root = projectFolder()

/** Code files below a folder, named from the project with slashes. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

const own = ['src', 'plugins', 'tools'].flatMap(filesBelow)
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** What a file belongs to: `engine`, `rules`, `plugins`, `tools`; of what lies in src itself its own name. */
function roomOf(file: string): string {
  const [top, second] = file.split('/')
  return top === 'src' ? second.replace(/\.ts$/, '') : top
}

/** Files of ours that a file imports or exports from, dynamic imports and types included. */
function importsOf(file: string): string[] {
  const found = textOf(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)
  return [...found].map(([, path]) => posix.join(dirname(file), path))
}

/** Room → rooms it may learn from, beside itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  errors: [],
  keys: ['store'],
  plans: ['errors'],
  store: ['errors', 'keys'],
  'config-reader': [],
  config: ['config-reader', 'errors', 'fetch', 'plans'],
  plugins: ['engine'],
  rules: ['engine'],
  fetch: ['engine', 'errors'],
  scan: ['index', 'engine', 'fetch', 'rules', 'errors'],
  host: ['engine', 'scan', 'fetch', 'store', 'keys', 'plans', 'errors'],
  index: ['rules', 'engine', 'plugins', 'scan', 'errors'],
  tools: [
    'index',
    'rules',
    'engine',
    'plugins',
    'fetch',
    'scan',
    'store',
    'keys',
    'plans',
    'config',
    'explain',
    'errors',
  ],
  explain: ['plugins', 'rules', 'errors'],
  service: ['fetch', 'scan', 'store', 'keys', 'plans', 'host', 'config', 'errors'],
  main: ['service', 'config', 'explain'],
}

describe('who may import whom', () => {
  test.each(own)('%s', (file) => {
    const allowed = MAY_IMPORT[roomOf(file)]
    expect(allowed, `${file} stands in no room`).toBeDefined()
    const wrong = importsOf(file).filter((path) => roomOf(path) !== roomOf(file) && !allowed.includes(roomOf(path)))
    expect(wrong).toEqual([])
  })

  test('imports are seen', () => {
    const all = own.flatMap(importsOf)
    expect(all.length).toBeGreaterThan(100)
    expect(all.filter((path) => !own.includes(path))).toEqual([])
  })

  test('nobody imports main', () => {
    expect(own.filter((file) => importsOf(file).includes('src/main.ts'))).toEqual([])
  })
})

test('no slug and no category stands quoted in the engine', () => {
  const { rules, categories } = readOwnRules()
  const names = new Set([
    ...rules.map(({ slug }) => slug),
    ...Object.keys(categories.builders),
    ...Object.keys(categories.technologies),
  ])
  names.delete('medium') // A level as well.
  const quoted = own
    .filter((file) => roomOf(file) === 'engine')
    .flatMap((file) => [...textOf(file).matchAll(/(['"`])([\w-]+)\1/g)].map(([, , word]) => `${file}: ${word}`))
  expect(quoted.length).toBeGreaterThan(50)
  expect(quoted.filter((one) => names.has(one.split(': ')[1]))).toEqual([])
})

test('the environment is read in the configuration alone', () => {
  const readers = own.filter((file) => /\bprocess\s*\.\s*env\b|\benv\b[^\n]*\bfrom 'node:process'/.test(textOf(file)))
  // The build hands it on to what it starts, without what an operator has set.
  expect(readers).toEqual(['src/config/config.ts', 'tools/build.mjs'])
})

test('the engine does no input and no output, and knows no clock', () => {
  const touching = own
    .filter((file) => roomOf(file) === 'engine')
    .filter((file) => /from 'node:|\bDate\b|\bperformance\b|\bfetch\(|\bMath\.random\b|\bconsole\./.test(textOf(file)))
  expect(touching).toEqual([])
})

test('code files stay under 200 lines', () => {
  const long = [...own, ...filesBelow('test')]
    .map((file) => [file, textOf(file).split('\n').length - 1] as const)
    .filter(([, lines]) => lines >= 200)
  expect(long).toEqual([])
})
