import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type BulkLine, openBulkOutput } from '../../../src/cli/formats/bulk-output.ts'
import { buildPage, detect, loadRuleset, toResult } from '../../../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'siteprint-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ruleset = await loadRuleset()
const wordpress = detect(
  ruleset,
  buildPage({ url: 'https://a.example/', html: '<meta name=generator content="WordPress 6.6">' }),
)
const good: BulkLine = { url: 'https://a.example', result: toResult(wordpress) }
const bad: BulkLine = { url: '=cmd()', error: 'url must be, "absolute"', code: 'invalid_url' }

/** What stands in a file after answers were written to what stood there before. */
async function written(
  name: string,
  answers: readonly BulkLine[],
  before?: string,
  resume = true,
): Promise<[string[], string]> {
  const file = join(folder, name)
  if (before !== undefined) writeFileSync(file, before)
  const opened = await openBulkOutput(file, resume, process.stdout)
  await Promise.all(answers.map((answer) => opened.write(answer)))
  return [[...opened.done], readFileSync(file, 'utf8')]
}

describe('answers of a bulk run', () => {
  const line = (answer: BulkLine): string => `${JSON.stringify(answer)}\n`

  test('are lines of JSON, whole and in order', async () => {
    expect(await written('a.jsonl', [good, bad])).toEqual([[], line(good) + line(bad)])
  })

  test.each<[string, string, string[], string]>([
    ['whole lines', line(good) + line(bad), [good.url, bad.url], line(good) + line(bad)],
    ['half a line at the end', line(good) + line(bad).slice(0, 20), [good.url], line(good)],
    ['a whole line without its end', line(good) + line(bad).trim(), [good.url], line(good)],
    ['a later line that is none of ours', `${line(good)}x\n`, [good.url], `${line(good)}x\n`],
    ['the beginning of a line alone', line(good).slice(0, 9), [], ''],
    ['nothing', '', [], ''],
  ])('go on after %s', async (_, before, done, kept) => {
    expect(await written('b.jsonl', [bad], before)).toEqual([done, kept + line(bad)])
  })

  test('begin anew when nobody asks to go on', async () => {
    expect(await written('c.jsonl', [bad], line(good), false)).toEqual([[], line(bad)])
  })

  test('are rows of CSV, which no spreadsheet takes for formulas', async () => {
    const [, text] = await written('d.csv', [good, bad])
    expect(text.split('\n')).toEqual([
      'url,finalUrl,builder,builderSlug,confidence,category,isAiNative,technologies,hosting,siteType,error,code',
      'https://a.example,https://a.example/,WordPress,wordpress,high,cms,false,WordPress,,,,',
      `'=cmd(),,,,,,,,,,"url must be, ""absolute""",invalid_url`,
      '',
    ])
  })

  test('go on with CSV', async () => {
    const [, whole] = await written('e.csv', [bad, good])
    const [done, text] = await written('e.csv', [bad], `${whole}"half`)
    expect([done, text.split('\n').length]).toEqual([[bad.url, good.url], 5])
  })

  test('go on with CSV of which half the header is there', async () => {
    const [, text] = await written('f.csv', [good], 'url,finalUrl,bui')
    expect(text.split('\n').map((row) => row.slice(0, 12))).toEqual(['url,finalUrl', 'https://a.ex', ''])
  })

  test.each([
    ['g.csv', 'my notes\nlast'],
    ['h.csv', 'a,b'],
    ['i.jsonl', 'https://a.example/\n'],
    ['j.jsonl', '{"id":"a"}\n'],
    ['k.jsonl', 'notes'],
  ])('leave %s alone, which holds %j', async (name, text) => {
    await expect(written(name, [good], text)).rejects.toThrow('was not written by such a run')
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
  })
})
