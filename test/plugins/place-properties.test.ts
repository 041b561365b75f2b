import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDetectors } from '../../plugins/load.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { ClauseSource } from '../../src/engine/rule/types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import type { Verdict } from '../../src/engine/verdict/verdict-types.ts'
import type { Finding, FindingCode } from '../../src/rules/findings.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { hosting, siteType, type TinyRule } from '../engine/support/tiny-rules.ts'
import { TEST, technology, writeFolder } from '../support/rule-folder.ts'

/** Outside detectors that use the optional members of a place. */
const MODULE = `export default [
  {
    key: 'tide',
    about: 'A tide of the page, by its time',
    family: 'side',
    word: 'name',
    wordForm: { says: 'a time: two digits', pattern: '^\\\\d\\\\d$' },
    *read() { yield { name: '12', text: 'high' } },
  },
  {
    key: 'harbour',
    about: 'A harbour, by name',
    family: 'side',
    word: 'name',
    hostingProof: { north: 1, south: 8 },
    *read(page, wanted) {
      for (const name of ['north', 'south', 'constructor']) if (wanted.has(name)) yield { name, text: name }
    },
  },
  {
    key: 'pier',
    about: 'A pier',
    family: 'side',
    word: 'value',
    hostingProof: 2,
    *read() { yield { name: 'east', text: 'east' } },
  },
  {
    key: 'depth',
    about: 'The depth of the page, in metres',
    family: 'side',
    word: 'name',
    names: ['metres'],
    isAmount: true,
    *read() { yield { name: 'metres', text: '7', amount: 7 } },
  },
]`

const root = writeFolder({ 'tide.mjs': MODULE })
const detectors = await loadDetectors(['./tide.mjs'], [], root)

function getVerdict(rules: readonly TinyRule[]): Verdict {
  const places = indexPlaces(detectors)
  const compiled = rules.map((rule) =>
    compileRule({ name: rule.slug, detect: [], source: [], verified: '2026-11-20', ...rule }, places),
  )
  const categories = { builders: {}, technologies: {} }
  const ruleset = Ruleset.of({ rules: compiled, categories, version: '' }, detectors)
  return detect(
    ruleset,
    buildPage({ headers: { 'x-quay': '1' }, tls: { issuer: 'Quay' }, html: '<meta name=quay content=1>' }),
  )
}

function listFindings(clause: string): readonly Finding[] {
  const folder = writeFolder({
    'rules/technologies/analytics/acme.yaml': technology(clause),
    'rules/technologies/analytics/acme.test.yaml': TEST,
    'rules/categories.yaml': 'builders: {}\ntechnologies: { analytics: Analytics }\n',
  })
  return checkFolders({ folders: [join(folder, 'rules')], detectors }).findings
}

describe('the optional members of an outside detector', () => {
  test.each<[clause: string, code: FindingCode | undefined, sentence: string]>([
    ["tide: ['12']", undefined, ''],
    ["tide: ['12', noon]", 'bad-value', 'a time: two digits'],
    ['{ depth: metres, atLeast: 3 }', undefined, ''],
    ['depth: metres', 'missing-key', 'atLeast'],
    ['{ depth: metres, atLeast: 3, from: own }', 'misplaced-key', 'from'],
  ])('are used by the linter: %s', (clause, code, sentence) => {
    const findings = listFindings(clause)
    expect(findings.map((one) => one.code)).toEqual(code === undefined ? [] : [code])
    expect(JSON.stringify(findings)).toContain(sentence)
  })

  test.each<[atLeast: number, siteType: string | null]>([
    [7, 'port'],
    [8, null],
  ])('isAmount makes the amount the hit: at least %i', (atLeast, expected) => {
    const rule = siteType('port', { thin: true, detect: [{ depth: 'metres', atLeast, points: { port: 1 } }] })
    expect(getVerdict([rule]).siteType).toBe(expected)
  })

  // If the slug decided, the other rule would win.
  test.each<[surer: ClauseSource, weaker: ClauseSource]>([
    [{ harbour: 'north' }, { pier: 'east' }],
    [{ harbour: 'NORTH' }, { header: 'x-quay', weight: 'strong' }],
    [{ pier: 'east' }, { tls: 'issuer' }],
    [{ tls: 'issuer' }, { harbour: 'south' }],
    [{ harbour: 'south' }, { meta: 'quay' }],
    [{ harbour: 'south' }, { harbour: 'constructor' }],
    [{ harbour: 'north' }, { harbour: ['north', 'south'] }],
  ])('hostingProof ranks %j before %j', (surer, weaker) => {
    const rules = [hosting('zzz', { detect: [surer] }), hosting('aaa', { detect: [weaker] })]
    expect(getVerdict(rules).hosting).toBe('zzz')
  })

  test.each<[one: ClauseSource, other: ClauseSource]>([
    [{ pier: 'east' }, { header: 'x-quay' }],
    [{ tide: '12' }, { meta: 'quay' }],
  ])('hostingProof ranks %j and %j equally', (one, other) => {
    const rules = [hosting('zzz', { detect: [one] }), hosting('aaa', { detect: [other] })]
    expect(getVerdict(rules).hosting).toBe(null)
  })
})
