import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import type { ClauseSource, RuleSource } from '../../src/engine/rule/types.ts'
import { listMutants } from './rule-mutants.ts'

const rule = { kind: 'builder', slug: 'acme', name: 'Acme', source: [], verified: '2026-11-20' } as const

function mutate(clause: ClauseSource): string[] {
  const source: RuleSource = { ...rule, detect: [clause] }
  return listMutants(source, indexPlaces(detectors)).map(({ now }) => now)
}

test.each<[name: string, clause: ClauseSource, mutants: readonly string[]]>([
  ['one letter of each run', { meta: 'ab-9' }, ['aq-9', 'ab-7']],
  ['each word of a list', { cookie: ['a', 'b'] }, ['q', 'q']],
  ['tests', { meta: 'q', is: 'b', has: ['c'] }, ['k', 'q', 'q']],
  ['groups', { all: [{ cookie: 'a' }, { not: { cookie: 'b' } }] }, ['q', 'q']],
  ['no settings', { cookie: 'a', case: 'exact', weight: 'weak' }, ['q']],
  ['only what lint accepts', { script: 'a.de' }, ['q.de']],
  ['a selector', { element: 'a:not(b)' }, ['q:not(b)', 'a:not(q)']],
  [
    'what a pattern needs',
    { cookie: '-', match: '^a(b)+c?[de](?:f|g)\\d(?!h)1' },
    ['^q(b)+c?[de](?:f|g)\\d(?!h)1', '^a(q)+c?[de](?:f|g)\\d(?!h)1', '^a(b)+c?[de](?:f|g)\\d(?!h)7'],
  ],
])('one letter is changed at a time: %s', (_, clause, mutants) => {
  expect(mutate(clause)).toEqual(mutants)
})

test('a mutant differs from its rule in one value', () => {
  const detect = [{ meta: 'x', is: ['y', 'z'] }, { title: '---' }]
  const places = indexPlaces(detectors)
  const mutants = listMutants({ ...rule, detect }, places)
  expect(mutants.map(({ place, was, source }) => [place, was, source.detect])).toEqual([
    ['detect.0.meta', 'x', [{ meta: 'q', is: ['y', 'z'] }, { title: '---' }]],
    ['detect.0.is.0', 'y', [{ meta: 'x', is: ['q', 'z'] }, { title: '---' }]],
    ['detect.0.is.1', 'z', [{ meta: 'x', is: ['y', 'q'] }, { title: '---' }]],
  ])
})
