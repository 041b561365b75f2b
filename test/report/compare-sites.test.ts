import { describe, expect, test } from 'vitest'
import { compareSites, describeChange } from '../../src/report/compare-sites.ts'
import type { ReportSite } from '../../src/report/site.ts'
import { SITE as SAMPLE } from './sample-site.ts'

const SITE: ReportSite = { ...SAMPLE, versions: new Map([['PHP', '8.2']]) }
const FAILED: ReportSite = {
  ...SITE,
  builder: null,
  technologies: [],
  failure: { code: 'scan_failed', sentence: 'No.' },
}

const WALLED: Partial<ReportSite> = { state: 'wall', builder: null }

type Rows = [name: string, before: Partial<ReportSite> | null, after: Partial<ReportSite> | null, changes: string[]][]
const rows: Rows = [
  ['nothing', {}, {}, []],
  ['a new site', null, {}, ['New in the results']],
  ['a site that is missing', {}, null, ['No longer in the results']],
  ['a site that fails', {}, FAILED, ['Fails: scan_failed']],
  ['a site that works again', FAILED, {}, ['Works again (was scan_failed)']],
  ['a site that fails for another reason', FAILED, { ...FAILED, failure: { code: 'scan_timeout', sentence: '' } }, []],
  ['a wall that hides a builder', {}, { ...WALLED, technologies: [] }, ['Came back: the site → wall']],
  ['a builder behind a wall that is gone', WALLED, { hosting: 'Vercel' }, ['Came back: wall → the site']],
  ['what came back instead', WALLED, { ...WALLED, state: 'parked' }, ['Came back: wall → parked']],
  ['a wall that is still there', WALLED, { ...WALLED, hosting: null }, ['Hosting: Netlify → not known']],
  ['a wall, where the scan failed earlier', FAILED, WALLED, ['Came back: nothing (scan_failed) → wall']],
  ['a failure, where a wall was earlier', WALLED, FAILED, ['Fails: scan_failed']],
  [
    'the builder, which is a technology, too',
    {},
    { builder: 'Webflow', technologies: ['Webflow', 'jQuery'] },
    ['Builder: WordPress → Webflow', 'Technologies added: jQuery', 'Technologies removed: PHP'],
  ],
  ['no builder now', {}, { builder: null }, ['Builder: WordPress → none']],
  ['hosting', {}, { hosting: null }, ['Hosting: Netlify → not known']],
  ['site type', {}, { siteType: 'news' }, ['Site type: BLOG → NEWS']],
  ['the order of technologies', {}, { technologies: ['WordPress', 'PHP'] }, []],
  ['confidence alone', {}, { confidence: 'low' }, []],
  ['a version', {}, { versions: new Map([['PHP', '8.3']]) }, ['PHP 8.2 → 8.3']],
  ['a version that only one scan found', {}, { versions: new Map() }, []],
  ['results without versions', { versions: new Map() }, {}, []],
]

describe('a change of', () => {
  const toMap = (site: Partial<ReportSite> | null): Map<string, ReportSite> =>
    new Map(site === null ? [] : [['a', { ...SITE, ...site }]])
  test.each(rows)('%s', (_, before, after, expected) => {
    const { sites, unchanged, counts } = compareSites(toMap(before), toMap(after))
    const changes = sites.flatMap((one) => one.changes)
    expect(changes.map((change) => describeChange(change, (type) => type.toUpperCase()))).toEqual(expected)
    expect(unchanged).toBe(expected.length === 0 ? 1 : 0)
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(expected.length)
  })
})
