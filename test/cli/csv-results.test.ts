import { expect, test } from 'vitest'
import { listColumns } from '../../src/cli/formats/columns.ts'
import { buildCsvFormat, buildJsonFormat } from '../../src/cli/formats/record-format.ts'
import type { ScanRecord } from '../../src/cli/formats/scan-record.ts'
import { openRowReader } from '../../src/cli/report/csv-results.ts'
import { LineParser } from '../../src/report/parse-line.ts'
import { toLiveResult } from '../../src/scan/live-result.ts'
import { sampleScan } from '../support/sample-scan.ts'

const facts = { scannedAt: '2026-11-22T10:00:00.000Z', durationMs: 12, ruleset: 'abc' }

function scanned(key: ScanRecord['key'], change: Parameters<typeof sampleScan>[1] = {}): ScanRecord {
  const scan = sampleScan('https://a.example/', change)
  const { verdict, infrastructure, details, packages } = scan
  const meta = { ...scan.meta, scannedAt: facts.scannedAt, ruleset: facts.ruleset }
  const result = toLiveResult({ ...scan, meta }, [
    'versions',
    'meta',
    'details',
    ...(key.url === undefined ? [] : ['infrastructure' as const]),
  ])
  return {
    key,
    input: { Note: '=1+1' },
    outcome: { ...facts, verdict, details, packages, infrastructure, result, status: 200, title: null },
  }
}

const NOTHING = { builder: null, builderSlug: null, confidence: null, category: null, technologies: [], versions: {} }
const spaced = { 'Swiper Slider': 'version 2 beta', Swiper: '1', Unlisted: '3' }
const formula = { technologies: ['@angular', 'Swiper', 'Swiper Slider'], versions: spaced }
const records: [what: string, kind: 'live' | 'saved', record: ScanRecord][] = [
  ['a site', 'live', scanned({ url: 'a.example' })],
  ['a site without a builder', 'live', scanned({ url: 'a.example' }, NOTHING)],
  ['an AI-native builder', 'live', scanned({ url: 'a.example' }, { isAiNative: true })],
  ['names with spaces, and one like a formula', 'live', scanned({ url: '=a.example' }, formula)],
  [
    'a failed site',
    'live',
    { key: { url: 'b.example' }, outcome: { ...facts, error: 'No, "not" so.', code: 'scan_failed' } },
  ],
  ['a saved page', 'saved', scanned({ id: 'page one' })],
]

test.each(records)('%s is the same from CSV as from JSON lines', (_, kind, record) => {
  const csv = buildCsvFormat(listColumns(kind), { carried: [{ name: 'Note', csvName: 'Note' }] })
  const read = openRowReader(`\ufeff${csv.header.trimEnd()}\r`)
  const row = csv.format(record).trimEnd()
  const json = buildJsonFormat({ withMeta: true }).format(record)
  const parser = new LineParser(new Set())
  for (const text of [row, `${row}\r`]) expect(parser.read(read?.(text) ?? {})).toEqual(parser.parse(json))
})

test.each([
  ['url,slug,name,category,version,level'],
  ['name,domain,builder'],
  ['builder,url'],
  ['{"url": "https://a.example/"}'],
  [''],
])('%s is not the header of results', (header) => {
  expect(openRowReader(header)).toBeNull()
})

test('a row with other cells is damaged', () => {
  expect(openRowReader('url,builder')?.('a.example')).toBeNull()
})
