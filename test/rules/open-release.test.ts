import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import type { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { SetupError } from '../../src/errors.ts'
import { openRelease } from '../../src/rules/open-release.ts'
import { checkHead } from '../../src/rules/release-file.ts'
import type { PortableRuleset } from '../../src/rules/ruleset-json.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { changeManifest, makeRelease, PUBLIC_KEY } from '../updates/test-release.ts'

const { bytes } = makeRelease(7)
const { manifest } = checkHead(bytes, PUBLIC_KEY)
const start = bytes.length - manifest.cases.bytes - manifest.ruleset.bytes
const text = gunzipSync(bytes.subarray(start, start + manifest.ruleset.bytes)).toString()

/** Opens a correctly signed file with another ruleset. */
function openWith(ruleset: string): Ruleset {
  const part = gzipSync(ruleset)
  const described = { bytes: part.length, sha256: createHash('sha256').update(part).digest('hex') }
  const content = [bytes.subarray(0, start), part, bytes.subarray(start + manifest.ruleset.bytes)]
  const file = join(writeFolder({}), 'rules.release')
  writeFileSync(
    file,
    changeManifest(Buffer.concat(content), (one) => ({ ...one, ruleset: described })),
  )
  return openRelease({ file, publicKey: PUBLIC_KEY }, detectors)
}

test('a released ruleset is opened', () => {
  expect(openWith(text).rules.map(({ slug }) => slug)).toEqual(['wordpress'])
})

describe('a released ruleset that our compiler did not write is rejected', () => {
  const variable = { var: ['c1', 0] }
  const deep = (depth: number): string => `${'{"!":['.repeat(depth)}{"var":["c1",0]}${']}'.repeat(depth)}`
  const expressions: [string, unknown][] = [
    ['code', { var: ['constructor.constructor', 0] }],
    ['a path out of the data', { var: ['c1.constructor', 0] }],
    ['a nested map', { map: [[1, 2], { map: [[1, 2], variable] }] }],
    ['a method', { method: ['x', 'constructor'] }],
    ['a numeric variable', { var: [0, 0] }],
    ['a variable without default', { var: ['c1'] }],
    ['a bare variable', { var: 'c1' }],
    ['an empty and', { and: [] }],
    ['an empty min', { min: [] }],
    ['two operations', { and: [variable], or: [variable] }],
    ['no operation', {}],
    ['text', 'c1'],
    ['a list', [variable]],
    ['null', null],
  ]
  const texts: [string, string][] = expressions.map(([name, logic]) => [name, JSON.stringify(logic)])
  const places = ['logic', 'holds', 'hits', 'ownHost', 'siblingCode'].flatMap((key) =>
    [...texts, ['depth 20,000', deep(20_000)], ['depth 18', deep(18)]].map(([name, logic]) => [name, key, logic]),
  )

  test.each(places)('%s in %s', (_, key, logic) => {
    const parsed: PortableRuleset = JSON.parse(text)
    const [{ clauses, ...rule }] = parsed.rules
    const swap = { [key]: 'SWAP' }
    const rules = [{ ...rule, clauses: clauses.map((clause) => ({ ...clause, ...swap })), ...swap }]
    const ruleset = JSON.stringify({ ...parsed, rules }).replaceAll('"SWAP"', logic)
    expect(() => openWith(ruleset)).toThrow(SetupError)
    expect(() => openWith(ruleset)).toThrow(
      /rules\.release: the rule "wordpress" contains an expression that the compiler does not write/,
    )
  })

  const clause = { family: 'markup', leaves: [], holds: 0, hits: 0, text: '', id: 'news:1' }
  test.each<[string, object]>([
    ['text for points', { prior: 0, typeClauses: [{ ...clause, points: { news: '9' } }] }],
    ['text for a prior', { prior: '9', typeClauses: [] }],
    ['no points', { prior: 0, typeClauses: [clause] }],
    ['code in a clause of a site type', { typeClauses: [{ ...clause, points: {}, holds: { method: ['x', 'y'] } }] }],
  ])('%s', (_, change) => {
    const parsed: PortableRuleset = JSON.parse(text)
    expect(() => openWith(JSON.stringify({ ...parsed, rules: [{ ...parsed.rules[0], ...change }] }))).toThrow(
      SetupError,
    )
  })

  test.each<[string, (built: string) => string]>([
    ['without rules', (built) => built.replace('"rules":[', '"rules":{},"x":[')],
    ['with null for a rule', (built) => built.replace('"rules":[', '"rules":[null,')],
    ['with null for a clause', (built) => built.replace('"clauses":[', '"clauses":[null,')],
    ['without categories', (built) => built.replace('"categories"', '"x"')],
    ['with an object for a slug', (built) => built.replace('"rules":[', '"rules":[{"slug":{"toString":0}},')],
    ['null', () => 'null'],
  ])('%s', (_, change) => {
    expect(() => openWith(change(text))).toThrow(SetupError)
  })
})
