import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { discoverRules } from '../../src/rules/discover.ts'
import { findingTable } from '../../src/rules/findings.ts'
import { builder, CATEGORIES, findingsOf, placeOf, TEST, technology, writeFolder } from '../rule-folder.ts'
import { faultyRules } from './faulty-rules.ts'

describe('one finding a fault, at its line and column', () => {
  test.each(faultyRules)('%s: %s', (code, _, marked) => {
    const files = Object.entries(marked).map(([name, text]) => [name, text.replace('§', '')])
    const expected = Object.entries(marked).flatMap(([name, text]) => {
      const before = text.split('§').slice(0, -1)[0]?.split('\n')
      return before ? [`${name}:${before.length}:${before[before.length - 1].length + 1} ${code}`] : []
    })
    const root = writeFolder({ 'categories.yaml': CATEGORIES, ...Object.fromEntries(files) })
    expect(findingsOf(root).map(placeOf)).toEqual(expected)
  })

  test('every code is provoked', () => {
    expect([...new Set(faultyRules.map(([code]) => code))].sort()).toEqual([...findingTable.keys()].sort())
  })

  test('a sound folder has none', () => {
    const clauses = '{ inline: Acme, case: exact }\n  - { inline: acme, case: exact }'
    const files = { 'builders/acme.yaml': builder(clauses), 'builders/acme.test.yaml': TEST }
    expect(findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))).toEqual([])
  })

  test.each([
    ['a link to nothing', 'gone'],
    ['a device', '/dev/null'],
  ])('%s is no file', (_, target) => {
    const root = writeFolder({ 'categories.yaml': CATEGORIES, 'builders/acme.yaml': builder('{ scirpt: /a.js }') })
    symlinkSync(target, join(root, 'builders/odd.yaml'))
    const told = ['builders/odd.yaml:1:1 stray-file', 'builders/acme.yaml:7:7 unknown-key']
    expect(findingsOf(root).map(placeOf)).toEqual([...told, 'builders/acme.yaml:1:1 missing-test'])
  })

  test('ten faults in one file are ten findings', () => {
    const rule = `nam: Acme
website: https://acme.com
category: cmss
aiNative: maybe
rank: 3
detect:
  - { elment: '#acme', weight: medium }
  - comment: [ac, acme]
  - { script: [acme.css, /acme.js], from: own }
  - all:
      - { meta: generator, match: '^acme(', weight: weak }
source: https://acme.com/docs
verified: yesterday
`
    const root = writeFolder({
      'categories.yaml': CATEGORIES,
      'builders/acme.yaml': rule,
      'builders/acme.test.yaml': TEST,
    })
    const told = findingsOf(root).sort((a, b) => a.line - b.line || a.column - b.column)
    expect(told.map(({ line, column, code }) => `${line}:${column} ${code}`)).toEqual([
      '1:1 unknown-key',
      '3:11 bad-category',
      '4:11 bad-value',
      '5:1 misplaced-key',
      '7:7 unknown-key',
      '8:15 short-literal',
      '9:16 bad-locator',
      '11:35 bad-pattern',
      '11:45 group-weight',
      '13:11 bad-value',
    ])
  })
})

test.each([
  ['open group', "'^a('", 'Unterminated group'],
  ['flag of another dialect', "'(?i)^acme (1|2)'", 'Invalid group'],
])('a pattern is told of without a pattern nobody wrote: %s', (_, match, reason) => {
  const files = { 'builders/acme.yaml': builder(`{ meta: acme, match: ${match} }`), 'builders/acme.test.yaml': TEST }
  const [told] = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
  expect(told.sentence).toBe(`the pattern is no regular expression: ${reason}`)
})

test('a folder that is no rule folder is named where the command runs', () => {
  const told = discoverRules('..').findings.map(({ file }) => file)
  expect(told).toContain('.')
})

describe('what was meant', () => {
  const site = { 'technologies/analytics/matomo.yaml': technology(), 'technologies/analytics/matomo.test.yaml': TEST }
  test.each([
    ['key of a rule', builder().replace('verified', 'verifed'), 'verified'],
    ['place', builder('{ heder: x-acme }'), 'header'],
    ['test', builder('{ header: x-acme, hass: acme }'), 'has'],
    ['place inside groups', builder('all: [{ not: { asst: /a.js } }, { title: acme }]'), 'asset'],
    ['type of DNS record', builder('dns: cnam'), 'cname'],
    ['part of a certificate', builder('tls: isuer'), 'issuer'],
    ['slug', builder('', 'implies: matmo\n'), 'matomo'],
    ['category', builder().replace('cms', 'static-sit'), 'static-site'],
    ['weight', builder('{ script: /a.js, weight: mediun }'), 'medium'],
    ['origin', builder('{ script: /a.js, from: othr }'), 'other'],
  ])('%s', (_, rule, meant) => {
    const files = { ...site, 'builders/acme.yaml': rule, 'builders/acme.test.yaml': TEST }
    const told = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
    expect(told.map(({ sentence }) => /did you mean "(.*?)"/.exec(sentence)?.[1])).toEqual([meant])
  })

  test('of a word that is like none, nothing', () => {
    const files = { 'builders/acme.yaml': builder('{ zzz: x }'), 'builders/acme.test.yaml': TEST }
    const [told] = findingsOf(writeFolder({ 'categories.yaml': CATEGORIES, ...files }))
    expect(told.sentence).toBe('the key "zzz" is unknown')
  })
})
