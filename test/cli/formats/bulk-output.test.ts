import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Continuation, openBulkOutput } from '../../../src/cli/formats/bulk-output.ts'
import { parseRow } from '../../../src/cli/formats/csv.ts'
import { buildCsvFormat, buildJsonFormat, type CarriedColumn } from '../../../src/cli/formats/record-format.ts'
import { RecordWriter } from '../../../src/cli/formats/record-writer.ts'
import type { ScanRecord } from '../../../src/cli/formats/scan-record.ts'
import { buildTableFormat } from '../../../src/cli/formats/technology-table.ts'
import { readColumns } from '../../../src/cli/scan/output-options.ts'
import { buildPage, detect, toResult } from '../../../src/index.ts'
import { describeDetails } from '../../../src/lifecycles/describe-details.ts'
import { openOwnRuleset } from '../../support/own-ruleset.ts'

const folder = mkdtempSync(join(tmpdir(), 'siteprint-output-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ruleset = openOwnRuleset()
const verdict = detect(
  ruleset,
  buildPage({ url: 'https://a.example/', html: '<meta name=generator content="WordPress 6.6">' }),
)
const facts = { scannedAt: '2026-11-22T10:00:00.000Z', durationMs: 1234.5, ruleset: 'abc' }
const details = describeDetails(verdict, { now: new Date(facts.scannedAt) })
const outcome = { ...facts, verdict, details, packages: [], result: toResult(verdict), status: 200, title: 'One' }
const WALL = { ...toResult(verdict), page: { state: 'wall', by: null, status: 403 } } as const
const good: ScanRecord = { key: { url: 'https://a.example' }, outcome }
const other: ScanRecord = { key: { url: 'b.example' }, outcome }
const bad: ScanRecord = {
  key: { url: '=cmd()' },
  outcome: { ...facts, error: 'url must be, "absolute"', code: 'invalid_url' },
}
const walled: ScanRecord = {
  key: { url: 'wall.example' },
  outcome: { ...outcome, verdict: { ...verdict, page: { state: 'wall', by: null, status: 403 } }, result: WALL },
}
const urlOf = ({ key }: ScanRecord): string => String(key.url)

interface Run {
  readonly columns?: string
  readonly carried?: readonly CarriedColumn[]
  readonly isRaw?: boolean
  readonly continuation?: Continuation
  readonly table?: string
}

/** Writes records to a file that may exist. Returns the URLs found in it and its content afterwards. */
async function write(
  name: string,
  records: readonly ScanRecord[],
  before?: string,
  { columns, carried = [], isRaw = false, continuation = 'resume', table }: Run = {},
): Promise<[string[], string]> {
  const file = join(folder, name)
  if (before !== undefined) writeFileSync(file, before)
  const isCsv = name.endsWith('.csv')
  const output = isCsv
    ? buildCsvFormat(readColumns(columns, 'live'), { carried, isRaw })
    : buildJsonFormat({ withMeta: false })
  const formats = { output, table: table === undefined ? null : buildTableFormat(table, 'live') }
  const files = { out: file, table: table && join(folder, table) }
  const opened = await openBulkOutput(files, formats, { continuation, stdout: process.stdout })
  await Promise.all(records.map((record) => opened.write(record)))
  await opened.close()
  return [[...opened.done], readFileSync(file, 'utf8')]
}

const json = ({ key, outcome: { ...one } }: ScanRecord): string =>
  `${JSON.stringify({ ...key, ...('error' in one ? { error: one.error, code: one.code } : { result: one.result }) })}\n`
const [GOOD, BAD, WALLED] = [json(good), json(bad), json(walled)]
const WALL_URL = urlOf(walled)
/** The site of the wall, read. */
const GOOD_LATER = json({ ...good, key: walled.key })

describe('lines of a bulk run', () => {
  test('are JSON, whole and in order', async () => {
    expect(await write('a.jsonl', [good, bad])).toEqual([[], GOOD + BAD])
  })

  test.each<[string, string, string[], string]>([
    ['whole lines', GOOD + BAD, [urlOf(good), urlOf(bad)], GOOD + BAD],
    ['half a line at the end', GOOD + BAD.slice(0, 20), [urlOf(good)], GOOD],
    ['a whole line without its end', GOOD + BAD.trim(), [urlOf(good)], GOOD],
    ['a later line of another kind', `${GOOD}x\n`, [urlOf(good)], `${GOOD}x\n`],
    ['only the beginning of a line', GOOD.slice(0, 9), [], ''],
    ['nothing', '', [], ''],
  ])('continue after %s', async (_, before, done, kept) => {
    expect(await write('b.jsonl', [bad], before)).toEqual([done, kept + BAD])
  })

  test('overwrite the file without --resume', async () => {
    expect(await write('c.jsonl', [bad], GOOD, { continuation: 'overwrite' })).toEqual([[], BAD])
  })

  test.each([
    ['sites that failed', BAD + GOOD + BAD, [urlOf(good)], GOOD],
    ['half a line at the end', GOOD + BAD.slice(0, 20), [urlOf(good)], GOOD],
    ['every line', BAD, [], ''],
  ])('continue without %s after --retry-failed', async (_, before, done, kept) => {
    expect(await write('retry.jsonl', [bad], before, { continuation: 'retry-failed' })).toEqual([done, kept + BAD])
  })

  test.each<[string, string, Continuation, string[], string]>([
    ['walls and failures after --retry-walls', BAD + WALLED + GOOD, 'retry-walls', [urlOf(good)], GOOD],
    [
      'failures alone after --retry-failed',
      BAD + WALLED + GOOD,
      'retry-failed',
      [WALL_URL, urlOf(good)],
      WALLED + GOOD,
    ],
    ['a wall whose site came back later', BAD + WALLED + GOOD_LATER, 'retry-walls', [WALL_URL], GOOD_LATER],
    ['nothing after --resume', WALLED + GOOD, 'resume', [WALL_URL, urlOf(good)], WALLED + GOOD],
  ])('continue without %s', async (_, before, continuation, done, kept) => {
    expect(await write('walls.jsonl', [bad], before, { continuation })).toEqual([done, kept + BAD])
  })

  test('are found by --retry-walls in CSV, too', async () => {
    const columns = 'url,pageState,code'
    const [, before] = await write('before.csv', [good, walled, bad], undefined, { columns, continuation: 'overwrite' })
    const again = await write('walls.csv', [walled], before, { columns, continuation: 'retry-walls' })
    expect(again).toEqual([[urlOf(good)], 'url,pageState,code\nhttps://a.example,empty,\nwall.example,wall,\n'])
  })

  test('--retry-failed does not change a file of another kind', async () => {
    const run = write('other.jsonl', [], 'other\n', { continuation: 'retry-failed' })
    await expect(run).rejects.toThrow('was not written by a scan')
    expect(readFileSync(join(folder, 'other.jsonl'), 'utf8')).toBe('other\n')
  })

  test('are CSV rows that a spreadsheet does not take for formulas', async () => {
    const [, text] = await write('d.csv', [good, bad])
    expect(text.split('\n')).toEqual([
      'url,finalUrl,status,builder,builderSlug,confidence,category,isAiNative,technologies,hosting,cdn,siteType,scannedAt,error,code',
      'https://a.example,https://a.example/,200,WordPress,wordpress,high,cms,false,WordPress; PHP; MySQL,,,,2026-11-22T10:00:00.000Z,,',
      `'=cmd(),,,,,,,,,,,,2026-11-22T10:00:00.000Z,"url must be, ""absolute""",invalid_url`,
      '',
    ])
  })

  test('continue CSV', async () => {
    const [, whole] = await write('e.csv', [bad, good])
    const [done, text] = await write('e.csv', [bad], `${whole}"half`)
    expect([done, text.split('\n').length]).toEqual([[urlOf(bad), urlOf(good)], 5])
  })

  test('continue CSV after half a header', async () => {
    const [, text] = await write('f.csv', [good], 'url,finalUrl,sta')
    expect(text.split('\n').map((row) => row.slice(0, 12))).toEqual(['url,finalUrl', 'https://a.ex', ''])
  })

  const carried = [
    { name: 'Note', csvName: 'Note' },
    { name: 'url', csvName: 'input_url' },
  ]
  const noted = { ...good, input: { Note: 'two\nlines, a "quote"', url: '=1' } }

  test.each(['=1+1', '+49 30 1', '-5', '@SUM(A1)', '\t=1', '\r=1'])('mark %j of the input as text', async (note) => {
    const input = { Note: note, url: 'a' }
    const columns = 'code'
    const [, text] = await write('m.csv', [{ ...good, input }], undefined, {
      columns,
      carried,
      continuation: 'overwrite',
    })
    expect(parseRow(text.slice(text.indexOf('\n') + 1))).toEqual(['https://a.example', '', `'${note}`, 'a'])
  })

  test('mark names of columns that look like a formula', async () => {
    const odd = [{ name: '=x', csvName: '=x' }]
    const header = async (isRaw: boolean): Promise<string> =>
      (await write('n.csv', [], undefined, { columns: 'code', carried: odd, isRaw, continuation: 'overwrite' }))[1]
    expect([await header(false), await header(true)]).toEqual(["url,code,'=x\n", 'url,code,=x\n'])
  })

  test.each([
    [false, "'=1"],
    [true, '=1'],
  ])('carry cells of the input, raw: %s, and continue after half a row with a line end', async (isRaw, formula) => {
    const file = `g-${isRaw}.csv`
    const columns = 'durationMs,code,versions'
    const [, whole] = await write(file, [noted], undefined, { columns, carried, isRaw })
    expect(whole).toBe(
      'url,durationMs,code,versions,Note,input_url\n' +
        `https://a.example,1235,,WordPress 6.6,"two\nlines, a ""quote""",${formula}\n`,
    )
    const half = whole.replace('https://a.example', 'b.example').split('\n').slice(1, 2).join()
    for (const continuation of ['resume', 'retry-failed'] as const) {
      const run = await write(file, [{ ...bad, input: noted.input }], `${whole}${half}\n`, {
        columns,
        carried,
        isRaw,
        continuation,
      })
      expect(run).toEqual([[urlOf(good)], `${whole}'=cmd(),1235,invalid_url,,"two\nlines, a ""quote""",${formula}\n`])
    }
    const start = whole.slice(0, whole.indexOf('"two'))
    await expect(write(file, [], `${start}"${'x\n'.repeat(10_001)}`, { columns, carried })).rejects.toThrow(
      'a quote is never closed',
    )
  })

  test.each([
    ['n.csv', 'my notes\nlast', 'was not written by a scan of many sites'],
    ['h.csv', 'a,b', 'was not written by a scan of many sites'],
    ['i.jsonl', 'https://a.example/\n', 'was not written by a scan of many sites'],
    ['j.jsonl', '{"id":"a"}\n', 'was not written by a scan of many sites'],
    ['k.jsonl', 'notes', 'was not written by a scan of many sites'],
    ['l.csv', 'builder,url,domain\n', 'has different columns from this run: builder,url,domain\nUse the --columns and'],
    ['m.csv', 'url,domain\n', 'was not written by a scan of many sites'],
  ])('do not change %s, which contains %j', async (name, text, sentence) => {
    await expect(write(name, [good], text)).rejects.toThrow(sentence)
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
  })
})

test('rows precede the line of their site; after a write that failed, nothing follows', async () => {
  const written: string[] = []
  const isFull = (text: string): boolean => text.includes('c.example')
  const sink = {
    write: async (text: string) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (isFull(text)) throw new Error('the disk is full')
      written.push(text)
    },
    close: async () => {},
  }
  const table = { sink, format: buildTableFormat('x.csv', 'live') }
  const writer = new RecordWriter({ output: { sink, format: buildCsvFormat(readColumns('url', 'live')) }, table })
  const ended = await Promise.allSettled(
    [good, bad, other, { ...good, key: { url: 'c.example' } }, good].map((record) => writer.write(record)),
  )
  await writer.close()
  expect(written.map((text) => text.split('\n')[0])).toEqual([
    'https://a.example,wordpress,WordPress,cms,6.6,high',
    'https://a.example',
    "'=cmd()",
    'b.example,wordpress,WordPress,cms,6.6,high',
    'b.example',
  ])
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'])
})

describe.each(['csv', 'jsonl'])('a table of technologies in .%s', (end) => {
  const [out, table] = [`main.${end}`, `table.${end}`]
  const read = (): string => readFileSync(join(folder, table), 'utf8')
  const prepare = async (records: readonly ScanRecord[]): Promise<{ main: string; rows: string }> => {
    const [, main] = await write(out, records, undefined, { table, continuation: 'overwrite' })
    return { main, rows: read() }
  }
  const resume = (records: readonly ScanRecord[], main: string, rows: string | null, continuation?: Continuation) => {
    if (rows === null) rmSync(join(folder, table), { force: true })
    else writeFileSync(join(folder, table), rows)
    return write(out, records, main, { table, ...(continuation && { continuation }) })
  }

  test('has one row per site and technology', async () => {
    const { rows } = await prepare([good, bad])
    const [first, ...others] = rows.trimEnd().split('\n')
    expect([first, ...others]).toEqual(
      end === 'csv'
        ? [
            'url,slug,name,category,version,level',
            'https://a.example,wordpress,WordPress,cms,6.6,high',
            'https://a.example,php,PHP,language,,high',
            'https://a.example,mysql,MySQL,database,,medium',
          ]
        : [
            ['wordpress', 'WordPress', 'cms', '6.6', 'high'],
            ['php', 'PHP', 'language', null, 'high'],
            ['mysql', 'MySQL', 'database', null, 'medium'],
          ].map(([slug, name, category, version, level]) =>
            JSON.stringify({ url: 'https://a.example', slug, name, category, version, level }),
          ),
    )
  })

  test('is continued wherever the run was killed: nothing is lost, nothing is twice', async () => {
    const { main, rows } = await prepare([good, bad, other])
    const [before] = [await prepare([good, bad])]
    // A kill leaves a part of the last rows, or all of them and a part of the last line.
    const cuts = [
      ...[0, 1, 20, 60, -1].map((at) => [before.main, rows.slice(0, at < 0 ? at : before.rows.length + at)]),
      ...[0, 1, 20, -1].map((at) => [main.slice(0, at < 0 ? at : before.main.length + at), rows]),
    ]
    for (const [cutMain, cutRows] of cuts)
      expect([await resume([other], cutMain, cutRows), read()]).toEqual([[[urlOf(good), urlOf(bad)], main], rows])
    expect(await resume([], main, rows)).toEqual([[urlOf(good), urlOf(bad), urlOf(other)], main])
    expect(read()).toBe(rows)
  })

  test('is kept by --retry-failed, and is new if the output has no site', async () => {
    const { main, rows } = await prepare([good, bad])
    const success = { ...other, key: bad.key }
    const [done] = await resume([success], main, rows, 'retry-failed')
    expect([done, read().split('\n').length]).toEqual([[urlOf(good)], rows.split('\n').length + 3])
    await resume([good], end === 'csv' ? main.split('\n')[0] : '', rows)
    expect(read()).toBe(rows)
    const failures = await prepare([bad])
    await resume([good], failures.main, null)
    expect(read()).toBe(rows)
  })

  test('loses the technologies of a wall that is scanned again, even after a kill between the two files', async () => {
    const columns = { columns: 'url,pageState,technologies,code' }
    const write3 = (records: readonly ScanRecord[], continuation: Continuation, before?: string) =>
      write(out, records, before, { table, continuation, ...(end === 'csv' && columns) })
    const [, main] = await write3([good, walled, bad], 'overwrite')
    const rows = read()
    const ownRows = rows.split('\n').filter((row) => row.includes(urlOf(good)) || row.startsWith('url,'))
    const withoutWall = `${ownRows.join('\n')}\n`
    for (const before of [rows, withoutWall]) {
      writeFileSync(join(folder, table), before)
      expect((await write3([], 'retry-walls', main))[0]).toEqual([urlOf(good)])
      expect(read()).toBe(withoutWall)
      expect(existsSync(join(folder, `${table}.part`))).toBe(false)
    }
  })

  test.each<[string, (rows: string) => string | null, string]>([
    ['does not exist', () => null, 'does not exist, but'],
    [
      'lacks a site',
      (rows) =>
        rows
          .split('\n')
          .slice(0, end === 'csv' ? 1 : 0)
          .join('\n') + (end === 'csv' ? '\n' : ''),
      'has no technologies of https://a.example',
    ],
    [
      'has another site',
      (rows) =>
        rows +
        rows
          .split('\n')
          .slice(end === 'csv' ? 1 : 0)
          .join('\n')
          .replaceAll('a.example', 'z.example')
          .concat(
            rows
              .split('\n')
              .slice(end === 'csv' ? 1 : 0)
              .join('\n'),
          ),
      'belongs to a site that',
    ],
    [
      'is something else',
      () => 'a,b\n',
      end === 'csv' ? 'was not written by --technologies-out' : 'belongs to a site that',
    ],
  ])('that %s is rejected; nothing is changed', async (_, change, sentence) => {
    const { main, rows } = await prepare([good])
    const changed = change(rows)
    const half = main + main.split('\n').at(-2)?.slice(0, 5)
    await expect(resume([bad], half, changed)).rejects.toThrow(sentence)
    expect(readFileSync(join(folder, out), 'utf8')).toBe(half)
    expect(existsSync(join(folder, table)) ? read() : null).toBe(changed)
  })
})
