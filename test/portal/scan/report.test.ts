import { describe, expect, test } from 'vitest'
import {
  explainNote,
  groupTechnologies,
  nameCategory,
  namePlace,
  nameSiteType,
  readReport,
  splitEvidence,
} from '../../../src/portal/scan/report.ts'
import { completeUrl } from '../../../src/portal/scan/submit-scan.ts'
import type { LiveScan } from '../../../src/scan/scanner.ts'
import { buildCacheEntry } from '../../../src/service/cache-entry.ts'
import { SAMPLE_RULES, sampleScan } from '../../support/sample-scan.ts'

const { labels } = SAMPLE_RULES
const report = (change: Partial<LiveScan['verdict']>) =>
  readReport(buildCacheEntry(sampleScan('https://one.example.org/', change), 0))

type Item = LiveScan['verdict']['evidence'][number]
const item = (change: Partial<Item>): Item => ({
  kind: 'technology',
  slug: 'x',
  name: 'X',
  level: 'high',
  points: 6,
  clauses: [],
  unseen: [],
  chosen: true,
  ...change,
})

describe('groupTechnologies', () => {
  const group = (change: Partial<LiveScan['verdict']>) =>
    groupTechnologies(report(change), labels).map(({ title, technologies }) => [
      title,
      ...technologies.map(({ name, version }) => (version === null ? name : `${name} ${version}`)),
    ])

  test('says that the support of a version has ended', () => {
    const { verdict, ...scan } = sampleScan('https://one.example.org/', {
      technologies: ['jQuery'],
      versions: { jQuery: '1.12.4' },
    })
    const [group] = groupTechnologies(readReport(buildCacheEntry({ verdict, ...scan }, 0)), labels)
    expect(group.technologies).toEqual([{ name: 'jQuery', version: '1.12.4', ended: 'support has ended' }])
  })

  test.each<[string, Partial<LiveScan['verdict']>, string[][]]>([
    ['nothing', { builder: null, technologies: [] }, []],
    [
      'the builder first, then by title',
      {},
      [
        ['Builder', 'Webflow 1.2'],
        ['Fonts and icons', 'Google Fonts'],
      ],
    ],
    [
      'a builder that is implied by the builder',
      { technologies: ['Webflow', 'Other One'], evidence: [item({ kind: 'builder', name: 'Other One' })] },
      [['Builder', 'Webflow 1.2', 'Other One']],
    ],
    [
      'a CDN',
      { technologies: ['Fastly', 'Webflow'], evidence: [item({ kind: 'hosting', name: 'Fastly' })], versions: {} },
      [
        ['Builder', 'Webflow'],
        ['CDN and hosting', 'Fastly'],
      ],
    ],
    [
      'a technology of former rules, and names of properties of every object',
      { builder: null, technologies: ['Gone', 'constructor', '__proto__'] },
      [['Other', 'Gone', 'constructor', '__proto__']],
    ],
  ])('%s', (_, change, expected) => expect(group(change)).toEqual(expected))
})

test('a scan whose scripts came too late is stored for five minutes', () => {
  const scan = sampleScan('https://one.example.org/')
  expect(buildCacheEntry(scan, 0).lifeMs).toBeUndefined()
  expect(buildCacheEntry({ ...scan, isLate: true }, 0).lifeMs).toBe(300_000)
})

test('a stored scan without extras', () => {
  const { extras } = readReport({ at: 0, result: '{}' })
  expect(extras.evidence).toEqual([])
  expect(extras.infrastructure.dns).toEqual([])
})

test.each([
  ['a category', nameCategory('cms', labels), 'Content management system'],
  ['a former category', nameCategory('old-category', labels), 'Old category'],
  ['a site type', nameSiteType('local-business', labels), 'Local business'],
  ['a former site type', nameSiteType('link-in-bio', labels), 'Link in bio'],
  ['a place', namePlace('meta', labels), 'A meta tag'],
  ['a place of a detector that is no longer loaded', namePlace('blink', labels), 'blink'],
])('%s', (_, name, expected) => expect(name).toBe(expected))

test('splitEvidence: what was chosen, by kind; then what was not', () => {
  const evidence = [
    item({ slug: 'a' }),
    item({ slug: 'b', chosen: false }),
    item({ slug: 'c', kind: 'site-type' }),
    item({ slug: 'd', kind: 'builder' }),
    item({ slug: 'e', kind: 'hosting' }),
  ]
  const { chosen, others } = splitEvidence(report({ evidence }))
  expect(chosen.map(({ slug }) => slug)).toEqual(['d', 'e', 'c', 'a'])
  expect(others.map(({ slug }) => slug)).toEqual(['b'])
})

test.each([
  ['required react is missing', 'Not counted: it needs React, which was not found.'],
  ['excluded by react', 'Not counted: React was found, and the two exclude each other.'],
  ['implied by guard-denied', 'The page that came back is its own.'],
  ['not the page of the site', 'Not counted: the page that came back is not that of the site.'],
  ['implied by vue', 'Sites made with vue always have it.'],
  ['conflicting', 'Marks of several builders were found that exclude each other.'],
  ['something new', 'something new'],
])('explainNote: %s', (note, expected) => {
  const KNOWN = [
    item({ slug: 'react', name: 'React' }),
    item({ kind: 'response', slug: 'guard-denied', name: 'Guard: denied' }),
  ]
  expect(explainNote(note, report({ evidence: KNOWN }))).toBe(expected)
})

test.each([
  ['example.org', 'https://example.org'],
  ['//example.org/a', 'https://example.org/a'],
  ['http://example.org', 'http://example.org'],
  ['HTTPS://example.org', 'HTTPS://example.org'],
  ['ftp://example.org', 'ftp://example.org'],
  ['example.org/?u=http://a.org', 'https://example.org/?u=http://a.org'],
  ['example.org:8080', 'https://example.org:8080'],
  ['javascript:alert(1)', 'https://javascript:alert(1)'],
  ['', ''],
])('completeUrl: %s', (text, expected) => expect(completeUrl(text)).toBe(expected))
