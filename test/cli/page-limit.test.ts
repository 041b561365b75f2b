import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { trapProject, trapRules } from '../scan/trap-rules.ts'
import type { BuiltProject, Outcome } from '../support/built-project.ts'
import { TEST, writeFolder } from '../support/rule-folder.ts'

/** The detector of the trap rules, with another trap: text that blocks the worker without using the processor. */
const buildSleeper = (trap: string): string => `
import trap from ${JSON.stringify(trap)}
const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
const read = (page) => (page.text.includes('sleep for ever') && sleep(), trap.read(page))
export default { ...trap, read }
`

let project: BuiltProject
let cwd: string
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  project = await trapProject()
  const { folders, detectors } = trapRules()
  cwd = writeFolder({
    'sleep.html': '<p>sleep for ever',
    'sleep.har': har('<p>sleep for ever'),
    'in.warc': ['good', 'sleep for ever', 'leave', 'good'].map(record).join(''),
    'sleeper.mjs': buildSleeper(detectors[0]),
  })
  env = { RULES_DIRS: folders.join(), DETECTORS: join(cwd, 'sleeper.mjs') }
})

const run = (command: string, args: readonly string[], settings = env): Promise<Outcome> =>
  project.run(command, args, { cwd, env: settings })
const har = (text: string): string => {
  const response = { status: 200, headers: [], content: { mimeType: 'text/html', text } }
  const entry = { startedDateTime: '2026-11-22T00:00:00Z', request: { url: 'https://acme.com/' }, response }
  return JSON.stringify({ log: { entries: [entry] } })
}
const record = (text: string, i: number): string => {
  const http = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>${text}`
  const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://acme.com/${i}\r\nContent-Type: application/http; msgtype=response`
  return `${head}\r\nContent-Length: ${http.length}\r\n\r\n${http}\r\n\r\n`
}
const LATE = 'the page took longer than 1 s to match'

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
  ] as const)('--batch, %s', async (_, name, pack, pages) => {
    const input = pages.map(([text], i) => `${JSON.stringify({ id: `${i}`, html: `<p>${text}` })}\n`)
    writeFileSync(join(cwd, name), pack(input.join('')))
    const { code, stdout, stderr } = await run('scan', ['--batch', name, '--timeout', '1'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ id, error }) => [id, error ?? 'result'])).toEqual(pages.map(([, one], i) => [`${i}`, one]))
    const codes = lines.flatMap(({ error, code }) => (error ? [code] : []))
    const failed = pages.filter(([, outcome]) => outcome !== 'result').length
    expect({ code, stderr, codes }).toEqual({
      code: 1,
      stderr: `${pages.length} pages, ${failed} failed\n`,
      codes: Array(failed).fill('scan_failed'),
    })
  })

  test('--warc', async () => {
    const { code, stdout } = await run('scan', ['--warc', 'in.warc', '--timeout', '1'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect({ code, errors: lines.map(({ error }) => error) }).toEqual({
      code: 1,
      errors: [undefined, LATE, 'worker exited with code: 7', undefined],
    })
  })

  test.each([
    ['scan', ['--html', 'sleep.html']],
    ['scan', ['--har', 'sleep.har']],
    ['rules', ['explain', 'wordpress', '--html', 'sleep.html']],
  ])('%s %j', async (command, args) => {
    const expected = { code: 2, stdout: '', stderr: `${LATE}\n` }
    expect(await run(command, [...args, '--timeout', '1'])).toEqual(expected)
  })

  test('rules test', async () => {
    const html = (text: string): string => `\n      html: |\n${`        <p>${text}</p>\n`.repeat(5)}`
    const tests = `hits:\n  - page: ${html('sleep for ever')}    confidence: high\n${TEST.slice('hits:\n'.length).replace('acme.com', 'slow.org')}`
    const name = 'technologies/javascript-library/slow'
    const rule = `name: Slow\nwebsite: https://slow.org\ndetect:\n  - url: slow.org\nsource: https://acme.com\nverified: 2026-11-20\n`
    const folder = writeFolder({ [`${name}.yaml`]: rule, [`${name}.test.yaml`]: tests })
    const { code, stdout, stderr } = await run('rules', ['test', 'slow', '--timeout', '1'], {
      DETECTORS: env.DETECTORS,
      RULES_DIRS: `${env.RULES_DIRS},${folder}`,
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '1 rule, 3 pages: 1 finding\n' })
    expect(stdout.trim()).toMatch(
      /slow\.test\.yaml:\d+:\d+ {2}error {2}this page cannot be scanned: the page took longer than 1 s/,
    )
  })
})
