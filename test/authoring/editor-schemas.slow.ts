import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { CORE_SCHEMA, load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { readTestText } from '../../src/rules/rule-tests.ts'
import { splitDocuments } from '../../src/yaml/documents.ts'
import { documentExample } from '../support/document-examples.ts'
import { YamlEditor } from '../support/yaml-editor.ts'

const root = projectFolder()
const { rules } = discoverRules(join(root, 'rules'))

test('every rule and every test of the project is valid by the schemas of editors', () => {
  const folder = join(root, 'dist', 'schemas')
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  for (const name of readdirSync(folder))
    ajv.addSchema(JSON.parse(readFileSync(join(folder, name), 'utf8')), `http://schemas/${name}`)
  const check = (schema: string, file: string, text: string): string[] => {
    const validate = ajv.getSchema(`http://schemas/${schema}.json`)
    if (validate?.(load(text, { schema: CORE_SCHEMA }))) return []
    return (validate?.errors ?? []).map(({ instancePath, message }) => `${file} ${instancePath} ${message}`)
  }
  const errors = rules.flatMap((rule) => {
    const text = splitDocuments(readFileSync(rule.file, 'utf8')).first
    const tests = readTestText(rule)
    return [...check(rule.kind, rule.file, text), ...(tests === null ? [] : check('test', rule.file, tests))]
  })
  expect([rules.length > 300, errors]).toEqual([true, []])
})

const START = `name: Pagekiln
website: https://pagekiln.example
`
const END = `source: https://pagekiln.example/docs/markup
verified: 2026-11-20
`
const rule = (clause: string, more = 'category: cms\naiNative: false\n'): string =>
  `${START}${more}detect:\n  - ${clause}\n${END}`
const hit = (more: string): string => `hits:
  - page: { url: https://pagekiln.example/ }
    confidence: high
    ${more}
misses:
  - page: { url: https://other.example/ }
`

/** Contains `|`, the place of the cursor. @returns the text without it, and the position */
function splitCursor(marked: string): { text: string; position: { line: number; character: number } } {
  const lines = marked.slice(0, marked.indexOf('|')).split('\n')
  return {
    text: marked.replace('|', ''),
    position: { line: lines.length - 1, character: lines[lines.length - 1].length },
  }
}

let files = 0
/** Returns another name for a file: the server would take a second text under one name as the same document. */
function rename(file: string): string {
  return `rules/${file.replace(/(\.test)?\.yaml$/, `-${++files}$1.yaml`)}`
}

describe('yaml-language-server with the settings of this project', () => {
  const editor = new YamlEditor(root)
  beforeAll(() => editor.open())
  afterAll(() => editor.close())

  test.each([
    ['rules/builders/pagekiln.yaml', documentExample('rule')],
    ['rules/builders/pagekiln.test.yaml', documentExample('rule-test')],
    ...['builders/wix', 'hosting/vercel', 'site-types/ecommerce', 'technologies/javascript-framework/react'].flatMap(
      (name) =>
        [`rules/${name}.yaml`, `rules/${name}.test.yaml`].map((file) => [file, readFileSync(join(root, file), 'utf8')]),
    ),
  ])('%s has no problem', async (file, text) => {
    expect(await editor.diagnose(file, text)).toEqual([])
  })

  const onePlace = /^A clause has exactly one place or group: url, .*header, .*bundle, all, any, not, of\.$/
  const builder = 'builders/pagekiln.yaml'
  test.each<[name: string, file: string, text: string, line: number, message: RegExp]>([
    [
      'an unknown category',
      builder,
      rule('url: .x.com', 'category: shop\naiNative: false\n'),
      3,
      /"ai-builder", .*"wiki"/,
    ],
    ['a missing category', builder, rule('url: .x.com', 'aiNative: false\n'), 1, /Missing property "category"/],
    [
      'an unknown key',
      builder,
      rule('url: .x.com', 'category: cms\naiNative: false\nrank: 1\n'),
      5,
      /rank is not allowed/,
    ],
    [
      'an unknown slug',
      builder,
      rule('url: .x.com', 'category: cms\naiNative: false\nimplies: [reakt]\n'),
      5,
      /no such slug/,
    ],
    [
      'an unknown host',
      builder,
      rule('url: .x.com', 'category: cms\naiNative: false\nhosting: react\n'),
      5,
      /no such slug/,
    ],
    ['two places', builder, rule('{ url: .x.com, header: x }'), 6, onePlace],
    ['no place', builder, rule('{ weight: weak }'), 6, onePlace],
    ['a place in a group without one', builder, rule('all: [{ url: .x.com }, { is: x }]'), 6, onePlace],
    ['a place of site types', builder, rule('found: wix'), 6, /found is not allowed/],
    ['an unknown weight', builder, rule('{ url: .x.com, weight: high }'), 6, /"strong", "medium", "weak"/],
    ['an unknown record', builder, rule('dns: mxx'), 6, /"a", "aaaa"/],
    [
      'an attribute of a header',
      builder,
      rule('{ header: x, attr: y }'),
      6,
      /missing property element required by property attr/,
    ],
    [
      'a version without a pattern',
      builder,
      rule('{ header: x, version: 1 }'),
      6,
      /missing property match required by property version/,
    ],
    ['a bad day', builder, rule('url: .x.com').replace('-20', '-41'), 8, /date/],
    [
      'a slug of another kind',
      'hosting/pagekiln.yaml',
      rule('url: .x.com', 'excludes: react\n'),
      3,
      /no such slug of a hosting rule/,
    ],
    [
      'a category of a technology',
      'technologies/seo/pagekiln.yaml',
      rule('url: .x.com', 'category: seo\n'),
      3,
      /category is not allowed/,
    ],
    [
      'an unknown slug of found',
      'site-types/pagekiln.yaml',
      `name: X\ndetect:\n  - found: reakt\n${END}`,
      3,
      /no such slug/,
    ],
    ['an unknown slug of a test', 'builders/pagekiln.test.yaml', hit('also: [reakt]'), 4, /no such slug/],
    ['an unknown site type of a test', 'technologies/seo/x.test.yaml', hit('siteType: shop'), 4, /no such slug/],
    [
      'an unknown slug of tests behind their rule',
      'builders/pagekiln.yaml',
      `${rule('url: .x.com')}---\n${hit('also: [reakt]')}`,
      13,
      /no such slug/,
    ],
    ['a rule in a test', 'builders/pagekiln.test.yaml', rule('url: .x.com'), 1, /Missing property "hits"/],
  ])('%s is reported', async (_, file, text, line, message) => {
    const found = await editor.diagnose(rename(file), text)
    expect(
      found.filter((one) => one.line === line && message.test(one.message)),
      JSON.stringify(found),
    ).toHaveLength(1)
  })

  test.each<[name: string, file: string, text: string, labels: readonly string[]]>([
    ['categories', builder, rule('url: .x.com', 'aiNative: false\ncategory: |\n'), ['cms', 'ai-builder', 'wiki']],
    ['slugs', builder, rule('url: .x.com', 'category: cms\nimplies: [|]\n'), ['react', 'wordpress']],
    ['slugs of found', 'site-types/x.yaml', `name: X\ndetect:\n  - found: |\n${END}`, ['shopify', 'woocommerce']],
    ['places', builder, rule('{ | }'), ['url', 'script', 'meta', 'all', 'weight']],
    ['keys', builder, `${START}|\n${END}`, ['category', 'aiNative', 'detect', 'implies']],
    ['slugs of a test', 'builders/x.test.yaml', hit('also: [|]'), ['react', 'vercel', 'wordpress']],
    ['site types of a test', 'builders/x.test.yaml', hit('siteType: |'), ['blog', 'null']],
  ])('%s are suggested', async (_, file, marked, labels) => {
    const { text, position } = splitCursor(marked)
    const name = rename(file)
    await editor.diagnose(name, text)
    const suggested = await editor.complete(name, position)
    expect(suggested).toEqual(expect.arrayContaining([...labels]))
    expect(suggested).not.toContain('one place')
  })

  test.each([
    [rule('met|a: generator'), /A meta tag, by its name, property or itemprop/],
    [rule('{ url: .x.com, weig|ht: weak }'), /Weight of the clause/],
    [rule('url: .x.com', 'cate|gory: cms\naiNative: false\n'), /Builders: a key of .*builders.* in categories.yaml/],
  ])('%j is explained', async (marked, words) => {
    const { text, position } = splitCursor(marked)
    const name = rename(builder)
    await editor.diagnose(name, text)
    expect(await editor.hover(name, position)).toMatch(words)
  })
})
