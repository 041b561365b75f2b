import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type BulkLine, openBulkOutput } from '../../../src/cli/formats/bulk-output.ts'
import { buildPage, detect, toResult } from '../../../src/index.ts'
import { openOwnRuleset } from '../../support/own-ruleset.ts'

const folder = mkdtempSync(join(tmpdir(), 'siteprint-output-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ruleset = openOwnRuleset()
const wordpress = detect(
  ruleset,
  buildPage({ url: 'https://a.example/', html: '<meta name=generator content="WordPress 6.6">' }),
)
const good: BulkLine = { url: 'https://a.example', result: toResult(wordpress) }
const bad: BulkLine = { url: '=cmd()', error: 'url must be, "absolute"', code: 'invalid_url' }

/** Writes lines to a file that may exist. Returns the URLs found in it and its content afterwards. */
async function write(
  name: string,
  lines: readonly BulkLine[],
  before?: string,
  resume = true,
): Promise<[string[], string]> {
  const file = join(folder, name)
  if (before !== undefined) writeFileSync(file, before)
  const opened = await openBulkOutput(file, resume, process.stdout)
  await Promise.all(lines.map((line) => opened.write(line)))
  return [[...opened.done], readFileSync(file, 'utf8')]
}

describe('lines of a bulk run', () => {
  const line = (one: BulkLine): string => `${JSON.stringify(one)}\n`

  test('are JSON, whole and in order', async () => {
    expect(await write('a.jsonl', [good, bad])).toEqual([[], line(good) + line(bad)])
  })

  test.each<[string, string, string[], string]>([
    ['whole lines', line(good) + line(bad), [good.url, bad.url], line(good) + line(bad)],
    ['half a line at the end', line(good) + line(bad).slice(0, 20), [good.url], line(good)],
    ['a whole line without its end', line(good) + line(bad).trim(), [good.url], line(good)],
    ['a later line of another kind', `${line(good)}x\n`, [good.url], `${line(good)}x\n`],
    ['only the beginning of a line', line(good).slice(0, 9), [], ''],
    ['nothing', '', [], ''],
  ])('continue after %s', async (_, before, done, kept) => {
    expect(await write('b.jsonl', [bad], before)).toEqual([done, kept + line(bad)])
  })

  test('overwrite the file without --resume', async () => {
    expect(await write('c.jsonl', [bad], line(good), false)).toEqual([[], line(bad)])
  })

  test('are CSV rows that a spreadsheet does not take for formulas', async () => {
    const [, text] = await write('d.csv', [good, bad])
    expect(text.split('\n')).toEqual([
      'url,finalUrl,builder,builderSlug,confidence,category,isAiNative,technologies,hosting,siteType,error,code',
      'https://a.example,https://a.example/,WordPress,wordpress,high,cms,false,WordPress; MySQL; PHP,,,,',
      `'=cmd(),,,,,,,,,,"url must be, ""absolute""",invalid_url`,
      '',
    ])
  })

  test('continue CSV', async () => {
    const [, whole] = await write('e.csv', [bad, good])
    const [done, text] = await write('e.csv', [bad], `${whole}"half`)
    expect([done, text.split('\n').length]).toEqual([[bad.url, good.url], 5])
  })

  test('continue CSV after half a header', async () => {
    const [, text] = await write('f.csv', [good], 'url,finalUrl,bui')
    expect(text.split('\n').map((row) => row.slice(0, 12))).toEqual(['url,finalUrl', 'https://a.ex', ''])
  })

  test.each([
    ['g.csv', 'my notes\nlast'],
    ['h.csv', 'a,b'],
    ['i.jsonl', 'https://a.example/\n'],
    ['j.jsonl', '{"id":"a"}\n'],
    ['k.jsonl', 'notes'],
  ])('do not change %s, which contains %j', async (name, text) => {
    await expect(write(name, [good], text)).rejects.toThrow('was not written by a scan of many sites')
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
  })
})
