import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { checkDocs, fillParts, type GeneratedDoc } from '../../tools/generated-docs.ts'
import { documentExample, listDocuments } from '../support/document-examples.ts'

const root = projectFolder()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const documents = ['CHANGELOG.md', 'CONTRIBUTING.md', 'deploy/README.md', ...listDocuments()]

// docs.system.ts generates all documents and compares them.
const doc = (text: string): GeneratedDoc => fillParts('a.md', text, { one: 'new' })
test.each<[name: string, text: string, faults: RegExp[]]>([
  ['that is up to date', '<!-- generated:one -->\nnew\n<!-- /generated -->', []],
  ['that is out of date', '<!-- generated:one -->\nold\n<!-- /generated -->', [/^a\.md is out of date/]],
  ['without a place for a part', 'new', [/the markers <!-- generated:one --> .* are missing/]],
  [
    'with a place but without its part',
    '<!-- generated:one -->\nnew\n<!-- /generated -->\n<!-- generated:two -->\n<!-- /generated -->',
    [/there is no generated part "two"/],
  ],
  [
    'with a row whose last cell is empty',
    '<!-- generated:one -->\nnew\n<!-- /generated -->\n| `bad-x` | error | x |  |',
    [/last cell of bad-x/],
  ],
])('a document %s', (_, text, faults) => {
  const found = checkDocs([doc(text)])
  expect(found).toHaveLength(faults.length)
  for (const [i, fault] of faults.entries()) expect(found[i]).toMatch(fault)
})

test.each<[what: string, file: string, words: string]>([
  ['the service', 'README.md', '\nnpm ci && npm start\n'],
  ['the tests', 'README.md', '\nnpm ci && npm test\n'],
  ['the tests', '.ci/run', "'npm ci && npm test'"],
])('%s: the command that installs and runs it is in %s', (_, file, words) => {
  expect(read(file)).toContain(words)
})

/** Returns the anchors that GitHub creates from the headings. */
function listAnchors(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test.each(documents)('every link of %s has a target', (file) => {
  const text = read(file).replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '``') // A regular expression in code can look like a link.
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
  const dead = links.filter(([, path, anchor]) => {
    const target = path === '' ? file : join(dirname(file), path)
    return !existsSync(join(root, target)) || (anchor !== undefined && !listAnchors(read(target)).includes(anchor))
  })
  expect(dead.map(([link]) => link)).toEqual([])
})

/** Files of the README's example, which its readers write. */
const HYPOTHETICAL = ['rules/builders/pagekiln.yaml', 'rules/builders/pagekiln.test.yaml']
const PATH = /`((?:\.ci|docs|examples|plugins|rules|src|test|tools)\/[^`]*)`/g

test.each(documents)('every path that %s mentions exists', (file) => {
  const prose = read(file).replace(/^```.*?^```$/gms, '')
  const paths = [...prose.matchAll(PATH)]
    .map(([, path]) => path.replace(/ .*$/s, '')) // The arguments of a command.
    .filter((path) => !/[<*{…]/.test(path))
  expect(paths.filter((path) => !HYPOTHETICAL.includes(path) && !existsSync(join(root, path)))).toEqual([])
})

test('docs/architecture.md lists every folder of src', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const rows = read('docs/architecture.md').match(/^\| `src\/.*$/gm) ?? []
  const missing = folders.filter(({ name }) => !rows.some((row) => row.startsWith(`| \`src/${name}/\``)))
  expect(missing.map(({ name }) => name)).toEqual([])
})

/** Counts the lines of a function, method or class in the text of a file; 0 if it is not there. */
function countLines(text: string, name: string): number {
  const lines = text.split('\n')
  const words = '(?:(?:export |async )*(?:function|class|const) | {2}(?:async )?)'
  const start = lines.findIndex((line) => new RegExp(`^${words}${name}\\b.*[({]$`).test(line))
  if (start < 0) return 0
  const [indent] = /^ */.exec(lines[start]) ?? ['']
  return lines.slice(start).indexOf(`${indent}}`) + 1
}

/** Lines that a person reads in ten minutes. */
const MAX_PATH_LINES = 600

test.each([
  ['From YAML to verdict', 10],
  ['From URL to JSON', 8],
])('docs/architecture.md, %s: %i shapes, each file once, its functions in ten minutes', (heading, shapes) => {
  const section = read('docs/architecture.md').split(`### ${heading}\n`)[1].split('\n#')[0]
  const rows = [...section.matchAll(/^\| \d+ \| `([^`]*)` \| ([^|]*) \|.*\| ([^|]*)\|$/gm)]
  const files = rows.map(([, file]) => file)
  expect([...new Set(files)]).toEqual(files)
  const lines = rows.flatMap(([, file, names]) =>
    [...names.matchAll(/`([^`]*)`/g)].map(([, name]) => [`${file} ${name}`, countLines(read(file), name)] as const),
  )
  expect(lines.filter(([, count]) => count === 0)).toEqual([])
  expect(lines.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(MAX_PATH_LINES)
  const made = rows.flatMap(([, file, , shape]) => {
    const found = /^(\d+) `(\w+)`(?: \(`([^`]*)`\))?/.exec(shape)
    return found === null ? [] : [{ number: Number(found[1]), name: found[2], file: found[3] ?? file }]
  })
  expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: shapes }, (_, i) => i + 1),
  )
  const isDeclared = new Map(
    made.map(({ name, file }) => [
      name,
      new RegExp(`^export (?:interface|type|class) ${name}\\b`, 'm').test(read(file)),
    ]),
  )
  expect([...isDeclared].filter(([, holds]) => !holds)).toEqual([])
})

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

test('package.json shows at most twelve scripts besides those that npm runs by itself', () => {
  const shown = Object.keys(scripts).filter((name) => !['prepare', 'version'].includes(name))
  expect(shown.length).toBeLessThanOrEqual(12)
})

test.each(documents)('every command of npx siteprint that %s mentions exists', (file) => {
  const named = [...read(file).matchAll(/npx siteprint ([a-z][\w-]*)(?![\w.:/-])/g)].map(([, name]) => name)
  expect(named.filter((name) => ![...Object.keys(COMMANDS), 'serve', 'worker'].includes(name))).toEqual([])
})

test.each(documents)('every npm script that %s mentions exists', (file) => {
  const named = [...read(file).matchAll(/npm run (?:-s |--silent )?([\w:]+)/g)].map(([, name]) => name)
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
})

test.each(documents)('every tool and every check that %s mentions exists', (file) => {
  const tools = [...read(file).matchAll(/tools\/run ([\w/-]+)/g)].map(([, name]) => name)
  expect(tools.filter((name) => !existsSync(join(root, 'tools', `${name}.ts`)))).toEqual([])
  const checks = [...read(file).matchAll(/npm run (?:-s )?check -- ([\w ]+)/g)].flatMap(([, parts]) =>
    parts.trim().split(' '),
  )
  const known = [...read('tools/check.sh').matchAll(/^ +(\w+)\) /gm)].map(([, part]) => part)
  expect(checks.filter((part) => !known.includes(part))).toEqual([])
})

test('the README has fewer than 300 lines', () => {
  expect(read('README.md').split('\n').length - 1).toBeLessThan(300)
})

test('an example has one place: a name that no document has is an error', () => {
  expect(() => documentExample('no-such-example')).toThrow(/^0 documents have <!-- example:no-such-example -->/)
  const names = documents.flatMap((file) =>
    [...read(file).matchAll(/<!-- example:([\w-]+) -->/g)].map(([, name]) => name),
  )
  expect([...new Set(names)]).toEqual(names)
})
