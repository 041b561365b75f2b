import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { batch, type HarmfulPages, openHarmfulPages, parseLines, writeSlowRule } from './harmful-pages.ts'

let pages: HarmfulPages
beforeAll(async () => {
  pages = await openHarmfulPages()
})

// A page that never ends exceeds every limit. page-limit-time.slow.ts mixes such pages with harmless ones.
const LIMIT = ['--timeout', '0.02']
const LATE = 'the page took longer than 0.02 s to match'

describe('a page that takes too long is an error', () => {
  test.each([
    ['scan', ['--html', 'sleep.html']],
    ['scan', ['--har', 'sleep.har']],
    ['rules', ['explain', 'wordpress', '--html', 'sleep.html']],
  ])('%s %j', async (command, args) => {
    const expected = { code: 2, stdout: '', stderr: `${LATE}\n` }
    expect(await pages.run(command, [...args, ...LIMIT])).toEqual(expected)
  })
})

test('a page that ends its worker is an error, and the batch continues', async () => {
  writeFileSync(join(pages.cwd, 'leave.jsonl'), batch(['harmless', 'leave', 'harmless']))
  const { code, stdout, stderr } = await pages.run('scan', ['--batch', 'leave.jsonl'])
  const outcomes = parseLines(stdout).map(({ id, error = 'result', code: reason }) => [id, error, reason])
  expect({ code, stderr, outcomes }).toEqual({
    code: 1,
    stderr: '3 pages, 1 failed\n',
    outcomes: [
      ['0', 'result', undefined],
      ['1', 'worker exited with code: 7', 'scan_failed'],
      ['2', 'result', undefined],
    ],
  })
})

test('rules test reports a page that ends its worker, and continues', async () => {
  const args = ['test', 'slow']
  const { code, stdout, stderr } = await pages.run('rules', args, writeSlowRule(pages, 'leave'))
  expect({ code, stderr }).toEqual({ code: 1, stderr: '1 rule, 3 pages: 1 finding\n' })
  expect(stdout.trim()).toMatch(
    /slow\.test\.yaml:\d+:\d+ {2}error {2}this page cannot be scanned: worker exited with code: 7/,
  )
})
