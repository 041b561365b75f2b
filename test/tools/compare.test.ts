import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { formatReadmeFigures } from '../../tools/benchmark-tables.ts'
import { LabelledNames, NameKeys } from '../../tools/compare/match-names.ts'
import type { Label, PageLine } from '../../tools/compare/read-pages.ts'
import type { DetectorRun } from '../../tools/compare/run-detectors.ts'
import { sampleNamings } from '../../tools/compare/sample-namings.ts'
import { collectNames, summarizeDetectors, summarizePairs } from '../../tools/compare/summarize.ts'
import { parseManifest } from '../../tools/corpus/manifest.ts'

const keys = new NameKeys({ 'Google Fonts': ['Google Font API'] })

describe('names', () => {
  test.each([
    ['Next.js', 'NextJS', true],
    ['Google Font API', 'Google Fonts', true],
    ['C', 'C++', false],
    ['C', 'C#', false],
    ['...', '---', false],
  ])('%s and %s', (a, b, isSame) => {
    expect(keys.get(a) === keys.get(b)).toBe(isSame)
  })

  const rules = [
    { slug: 'wordpress', name: 'WordPress', implies: ['php'] },
    { slug: 'shop', name: 'Shop', implies: ['wordpress'] },
  ]
  const labels: Label[] = [{ builder: 'wordpress' }, { builder: 'shop' }, { builder: 'Wix' }]
  const labelled = new LabelledNames(labels, rules, keys)
  test.each([
    ['the right one', 'wordpress', ['wordpress', 'jquery'], [1, 0, 0]],
    ['none', 'wordpress', ['jquery'], [0, 0, 1]],
    ['another one', 'wordpress', ['wix'], [0, 1, 1]],
    ['what implies the right one', 'wordpress', ['wordpress', 'shop'], [1, 0, 0]],
    ['what the right one implies', 'shop', ['shop', 'wordpress'], [1, 0, 0]],
    ['a builder on a page that has none', null, ['wix', 'jquery'], [0, 1, 0]],
  ] as const)('%s', (_, builder, named, wanted) => {
    const { right, wrong, missed } = labelled.judge({ builder }, new Set(named))
    expect([right, wrong, missed]).toEqual(wanted)
  })
})

/** A detector with these names by page, and times by round and page. */
function buildRun(name: string, names: readonly string[][], rounds: readonly number[][]): DetectorRun {
  const answers = names.map((some) => ({ names: some, versions: {}, ms: 1, exchangeMs: 1, failure: null }))
  const info = { version: null, rules: null, canDouble: false }
  return { name, info, answers, rounds, exchanges: rounds, startMs: 1, memoryMiB: null, twice: null }
}

const page = (id: string): PageLine => ({ id, url: null, html: `${id} by wix`, headers: [], label: null, line: { id } })

describe('numbers', () => {
  const pages = [page('one'), page('two')]
  const runs = [
    buildRun(
      'a',
      [['Wix', 'Next.js'], ['PHP']],
      [
        [10, 10],
        [30, 10],
        [10, 10],
      ],
    ),
    buildRun(
      'b',
      [['Next JS'], ['Vue', 'PHP']],
      [
        [20, 20],
        [20, 20],
        [40, 40],
      ],
    ),
  ]
  const { named, spelling } = collectNames(runs, keys)

  test('detectors', () => {
    const all = summarizeDetectors(runs, pages, { named, labelled: null })
    expect(all.map((one) => [one.namings, one.alone, one.pagesPerSecond, one.speed, one.labels])).toEqual([
      [3, 1, 100, 1, null],
      [3, 1, 50, 0.5, null],
    ])
  })

  test('pairs', () => {
    expect(summarizePairs(runs, named, spelling)).toEqual([
      {
        ...{ first: 'a', second: 'b', both: 2, onlyFirst: 1, onlySecond: 1, share: 0.5 },
        shared: { names: 2, both: 2, onlyFirst: 0, onlySecond: 0, share: 1 },
        ...{ topFirst: [['Wix', 1]], topSecond: [['Vue', 1]] },
      },
    ])
  })

  test('the sample has each combination of detectors, and what to judge by', () => {
    const sample = sampleNamings(pages, named, { spelling, count: 3 })
    expect(sample.map(({ by }) => by.join()).sort()).toEqual(['0', '0,1', '1'])
    const wix = sample.find(({ name }) => name === 'Wix')
    expect(wix?.facts).toContainEqual(['In the source', 'one by wix'])
    expect(sampleNamings(pages, named, { spelling, count: 99 })).toHaveLength(4)
  })
})

const ENTRY = {
  ...{ id: 'one', repository: 'owner/name', commit: 'a'.repeat(40), path: 'index.html', sha256: 'b'.repeat(64) },
  ...{ url: null, builder: null, evidence: ['known: by hand'] },
}

test.each([
  ['a page', [ENTRY], []],
  ['nothing', [], ['1: the manifest has no pages']],
  ['a repository outside of the folder', [{ ...ENTRY, repository: 'owner/..' }], [/^1: repository must match/]],
  ['a label without evidence', [{ ...ENTRY, evidence: [] }], [/^1: evidence must NOT have fewer/]],
  ['an unknown key', [{ ...ENTRY, label: 'Wix' }], [/: label$/]],
  ['a repeated id', [ENTRY, ENTRY], ['2: line 1 has the id "one" already']],
])('manifest with %s', (_, entries, wanted) => {
  const { problems } = parseManifest(entries.map((entry) => JSON.stringify(entry)).join('\n'))
  expect(problems).toHaveLength(wanted.length)
  for (const [i, one] of wanted.entries()) expect(problems[i]).toMatch(one)
})

test('README has the figures of the last stored comparison', () => {
  const readme = readFileSync(join(projectFolder(), 'README.md'), 'utf8').replace(/\s+/g, ' ')
  expect(readme).toContain(formatReadmeFigures())
})

test('the manifest of the project fits its schema', () => {
  const { entries, problems } = parseManifest(
    readFileSync(join(projectFolder(), 'tools', 'corpus', 'pages.jsonl'), 'utf8'),
  )
  expect([problems, entries.length]).toEqual([[], 441])
})
