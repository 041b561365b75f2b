import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkLifecycles } from '../../src/authoring/check-lifecycles.ts'
import { ownFolder } from '../../src/rules/built.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'

const folder = mkdtempSync(join(tmpdir(), 'siteprint-lifecycles-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'lifecycles.json')

const GOOD = { cycle: '1', released: '2020-01-01', ends: false }

test.each([
  ['nothing', {}, {}, []],
  ['a slug without a rule', {}, { slug: 'jqeury' }, ['unknown-slug']],
  ['a distribution without a rule', { distributions: ['debain'] }, {}, ['unknown-slug']],
  ['an unknown key', {}, { product: { eol: true } }, ['unknown-key']],
  ['a date of another form', {}, { cycle: { ends: '27.11.2026' } }, ['bad-value']],
  ['a day that does not exist', {}, { cycle: { ends: '2026-02-30' } }, ['bad-lifecycle']],
  ['an end before the release', {}, { cycle: { ends: '2019-12-31' } }, ['bad-lifecycle']],
  ['a cycle twice', {}, { cycles: [GOOD, GOOD] }, ['bad-lifecycle']],
  ['a CPE name with a version', {}, { product: { cpe: 'cpe:2.3:a:jquery:jquery:1' } }, ['bad-value']],
  ['no cycle', {}, { cycles: [] }, ['bad-value']],
])(
  'reports %s',
  (_, top, { slug = 'jquery', product = {}, cycle = {}, cycles = [{ ...GOOD, ...cycle }] }: Change, codes) => {
    const products = { [slug]: { product: 'jquery', cpe: null, npm: null, cycles, ...product } }
    const data = { source: 'here', commit: 'abcdef0', date: '2026-08-22', distributions: [], products, ...top }
    writeFileSync(file, JSON.stringify(data, null, 2))
    expect(checkLifecycles(file, new Set(['jquery', 'debian'])).map(({ code }) => code)).toEqual(codes)
  },
)

interface Change {
  readonly slug?: string
  readonly product?: object
  readonly cycle?: object
  readonly cycles?: readonly object[]
}

test('a file that is not JSON is reported', () => {
  writeFileSync(file, '{"source": ')
  expect(checkLifecycles(file, new Set())).not.toEqual([])
})

test("the project's own file has no problem", () => {
  const slugs = new Set(openOwnRuleset().rules.map(({ slug }) => slug))
  expect(checkLifecycles(join(ownFolder, 'lifecycles.json'), slugs)).toEqual([])
})
