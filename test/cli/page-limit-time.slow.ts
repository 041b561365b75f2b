import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { batch, type HarmfulPages, openHarmfulPages, parseLines, warc, writeSlowRule } from './harmful-pages.ts'

// The harmless pages take a hundredth of the limit. page-limit.system.ts tests the commands without a limit of a page.
const LIMIT = ['--timeout', '1']
const LATE = 'the page took longer than 1 s to match'

let pages: HarmfulPages
beforeAll(async () => {
  pages = await openHarmfulPages()
})

describe('a page that takes too long is an error, and the run continues', () => {
  const harmful: readonly (readonly [text: string, outcome: string])[] = [
    ['harmless', 'result'],
    ['loop for ever', LATE],
    ['harmless', 'result'],
    ['backtrack for ever', LATE],
    ['leave', 'worker exited with code: 7'],
    ['harmless', 'result'],
  ]
  test.each([
    ['JSONL', 'in.jsonl', (text: string) => text, harmful],
    ['gzip', 'in.jsonl.gz', gzipSync, [...harmful.slice(0, 1), ['sleep for ever', LATE], ...harmful.slice(-1)]],
  ] as const)('--batch, %s', async (_, name, pack, rows) => {
    writeFileSync(join(pages.cwd, name), pack(batch(rows.map(([text]) => text))))
    const { code, stdout, stderr } = await pages.run('scan', ['--batch', name, ...LIMIT])
    const lines = parseLines(stdout)
    expect(lines.map(({ id, error }) => [id, error ?? 'result'])).toEqual(rows.map(([, one], i) => [`${i}`, one]))
    const codes = lines.flatMap(({ error, code }) => (error ? [code] : []))
    const failed = rows.filter(([, outcome]) => outcome !== 'result').length
    expect({ code, stderr, codes }).toEqual({
      code: 1,
      stderr: `${rows.length} pages, ${failed} failed\n`,
      codes: Array(failed).fill('scan_failed'),
    })
  })

  test('--warc', async () => {
    writeFileSync(join(pages.cwd, 'in.warc'), warc('good', 'sleep for ever', 'leave', 'good'))
    const { code, stdout } = await pages.run('scan', ['--warc', 'in.warc', ...LIMIT])
    expect({ code, errors: parseLines(stdout).map(({ error }) => error) }).toEqual({
      code: 1,
      errors: [undefined, LATE, 'worker exited with code: 7', undefined],
    })
  })

  test('rules test', async () => {
    const args = ['test', 'slow', ...LIMIT]
    const { code, stdout, stderr } = await pages.run('rules', args, writeSlowRule(pages, 'sleep for ever'))
    expect({ code, stderr }).toEqual({ code: 1, stderr: '1 rule, 3 pages: 1 finding\n' })
    expect(stdout.trim()).toMatch(
      /slow\.test\.yaml:\d+:\d+ {2}error {2}this page cannot be scanned: the page took longer than 1 s/,
    )
  })
})
