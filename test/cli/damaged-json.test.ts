import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UsageError } from '../../src/cli/command/command.ts'
import { readHarPages } from '../../src/cli/formats/har.ts'
import { buildJsonFormat } from '../../src/cli/formats/record-format.ts'
import { readSavedPage } from '../../src/cli/formats/saved-page.ts'
import { buildTableFormat } from '../../src/cli/formats/technology-table.ts'
import { formatReport } from '../../src/cli/report/format-report.ts'
import { readResults } from '../../src/cli/report/read-results.ts'
import { scanLine } from '../../src/cli/scan/scan-batch.ts'
import { SetupError } from '../../src/errors.ts'
import { compareSites } from '../../src/report/compare-sites.ts'
import { countSites } from '../../src/report/count-sites.ts'
import { findInvalidField } from '../../src/store/find-invalid-field.ts'
import { damageJson, listDamaged } from '../support/arbitrary-json.ts'
import { EMPTY_MATCHER } from '../support/empty-matcher.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { entry } from './formats/har-files.ts'

const matching = { matcher: EMPTY_MATCHER, include: [] }

const folder = writeFolder({ 'page.html': '<title>Acme</title>' })
const html = join(folder, 'page.html')
/** Writes the text to the same file each time. */
function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

/** Returns null for an error that a command reports in a sentence. */
async function readOrReport<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SetupError || error instanceof UsageError) return null
    throw error
  }
}

const SCRIPT = { url: 'https://acme.com/a.js', type: 'text/javascript' }
const HAR = {
  log: {
    version: '1.2',
    pages: [{ id: 'page_1', startedDateTime: '2026-11-20T10:00:00.000Z' }],
    entries: [
      entry(
        { headers: [{ name: 'content-type', value: 'text/html' }] },
        { pageref: 'page_1', startedDateTime: '2026-11-20T10:00:01.000Z', _resourceType: 'document', _frameref: 'f' },
      ),
      entry(SCRIPT, { pageref: 'page_1', startedDateTime: '2026-11-20T10:00:00.500Z', _resourceType: 'script' }),
    ],
  },
}
const RESULT = {
  ...{ url: 'https://a.example/', builder: 'WordPress', builderSlug: 'wordpress', confidence: 'high' },
  ...{ category: 'cms', isAiNative: false, technologies: ['PHP', 'WordPress'], hosting: 'Netlify', siteType: 'blog' },
  ...{ versions: { PHP: '8.3' }, meta: { scannedAt: '2026-11-20T10:00:00.000Z', ruleset: 'abc' } },
}
const TABLE_ROW = { url: 'https://a.example/', slug: 'php', name: 'PHP', category: null, version: '8.3', level: 'high' }
const PAGE = {
  ...{ id: 'a', url: 'https://acme.com/', status: 200, headers: [['server', 'x']], html: '<p>' },
  ...{ scripts: [{ url: '/a.js', text: 'a' }], styles: [{ url: '/a.css', text: 'b' }] },
}
const labels = { siteTypes: new Map(), technologies: new Map(), aiNative: new Set<string>() }

const READERS: readonly (readonly [name: string, valid: unknown, read: (text: string) => Promise<void>])[] = [
  [
    'a HAR file',
    HAR,
    async (text) => {
      const read = await readOrReport(readHarPages(write('page.har', text)))
      for (const page of read?.pages ?? []) await EMPTY_MATCHER.match(page)
    },
  ],
  [
    'headers by name',
    { server: 'x', 'set-cookie': ['a=b', 'c=d'] },
    async (text) => {
      const page = await readOrReport(readSavedPage({ html, headers: write('headers.json', text) }))
      if (page !== null) await EMPTY_MATCHER.match(page)
    },
  ],
  [
    'pairs of headers',
    [
      ['server', 'x'],
      ['link', 'y'],
    ],
    async (text) => {
      const page = await readOrReport(readSavedPage({ html, headers: write('headers.json', text) }))
      if (page !== null) await EMPTY_MATCHER.match(page)
    },
  ],
  [
    'a line of a batch',
    PAGE,
    async (text) => {
      const { outcome } = await scanLine({ number: 1, text, isUtf8: true }, matching)
      if ('error' in outcome) expect(outcome.error).toMatch(/ must be /)
    },
  ],
  [
    'a line of results, for a report',
    { url: 'a.example', result: RESULT },
    async (text) => {
      const earlier = await readResults([write('earlier.jsonl', `{"url":"a.example","result":{}}\n`)], labels.aiNative)
      const results = await readOrReport(readResults([write('results.jsonl', `${text}\n`)], labels.aiNative))
      if (results === null) return
      const numbers = countSites(results.sites.values(), labels, earlier.sites.values())
      const comparison = { ...compareSites(earlier.sites, results.sites), earlier }
      const sites = [...results.sites.values()]
      formatReport({ source: results, numbers, labels, sites, maxRows: 9, comparison, notes: [] })
    },
  ],
  [
    'a line of an output that a scan continues',
    { url: 'a.example', result: RESULT },
    async (text) => {
      const line = buildJsonFormat({ withMeta: true }).read(text)
      if (line !== null) expect(line.url).toBeTypeOf('string')
    },
  ],
  [
    'a row of a technology table that a scan continues',
    TABLE_ROW,
    async (text) => {
      const url = buildTableFormat('table.jsonl', 'live').readUrl(text)
      if (url !== null) expect(url).toBeTypeOf('string')
    },
  ],
  [
    'a row of an export',
    { key: 'key_1', month: '2026-05', used: 3, lastUsedAt: '2026-05-01T00:00:00.000Z', days: { '01': 3 } },
    async (text) => void findInvalidField('usage', JSON.parse(text)),
  ],
]

test.each([['{"toString":0}'], ['7'], ['"yesterday"'], ['null']])(
  'entries of a HAR file with the time %s stay in their order',
  async (time) => {
    const text = JSON.stringify(HAR).replace('"2026-11-20T10:00:00.500Z"', time)
    const { pages } = await readHarPages(write('page.har', text))
    expect(pages.map(({ url, loaded }) => [url, loaded])).toEqual([
      ['https://acme.com/', [{ url: 'https://acme.com/a.js', kind: 'script' }]],
    ])
  },
)

test.each([['{"toString":0}'], ['7'], ['["x"]'], ['null']])(
  'a row of a technology table with the URL %s is foreign',
  (url) => {
    const text = JSON.stringify({ ...TABLE_ROW, url: 'SWAP' }).replace('"SWAP"', url)
    expect(buildTableFormat('table.jsonl', 'live').readUrl(text)).toBeNull()
  },
)

test.each(READERS)('%s is read without damage', async (_, valid, read) => {
  await read(JSON.stringify(valid))
})

test.each(READERS)(
  '%s with one value of another type is read, or is an error that names the mistake',
  async (_, valid, read) => {
    for (const text of listDamaged(valid)) await read(text).catch((error) => expect.fail(`${text}: ${error}`))
  },
)

test.each(READERS)(
  '%s with several changes is read, or is an error that names the mistake',
  {
    tags: ['property'],
  },
  async (_, valid, read) => {
    await fc.assert(fc.asyncProperty(damageJson(valid), read))
  },
)
